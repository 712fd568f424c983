import { defineConfig } from 'vitest/config'

/** Processes and servers that are started, crash, and end. `npm run test:processes`. */
export default defineConfig({
  test: {
    include: ['test/processes/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
