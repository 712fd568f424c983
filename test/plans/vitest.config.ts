import { defineConfig } from 'vitest/config'

/** That every list of a studio of 200,000 items is read by its index, and that large statements are planned well. `npm run test:plans`. */
export default defineConfig({
  test: {
    include: ['test/plans/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
})
