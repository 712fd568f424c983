import { defineConfig } from 'vitest/config'

/** The tests that need Chromium: `apt-get install chromium`, or CHROMIUM_PATH. Those of the console start the embedded demo. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
