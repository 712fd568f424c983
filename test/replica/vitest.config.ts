import { defineConfig } from 'vitest/config'

/** The REST suite with reads on a streaming replica: needs Debian's postgresql-15. */
export default defineConfig({
  test: {
    // It stops the clock, and with it what waits for a replica; limits are counted before anything is read.
    exclude: ['test/rest/rate-limit-second.test.ts'],
    include: ['test/rest/**/*.test.ts', 'test/properties/isolation*.test.ts', 'test/replica/**/*.test.ts'],
    globalSetup: ['test/replica/global-setup.ts'],
    isolate: false,
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
