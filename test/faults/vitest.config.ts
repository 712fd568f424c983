import { defineConfig } from 'vitest/config'

/** What the service does when something breaks: each file alone, because they break things. `npm run test:faults`. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/faults/table.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
