import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis, a browser or an engine: vitest.redis.config.ts, vitest.browser.config.ts, test/container/.
    exclude: [
      ...configDefaults.exclude,
      '**/node_modules/**',
      'test/redis/**',
      'test/browser/**',
      'test/container/**',
      'test/backup/**',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker keeps a PostgreSQL session or two busy as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
