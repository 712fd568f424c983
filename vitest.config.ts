import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis or a browser: vitest.redis.config.ts, vitest.browser.config.ts.
    exclude: [...configDefaults.exclude, '**/node_modules/**', 'test/redis/**', 'test/browser/**', 'test/{pooler,scaling}/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker keeps a PostgreSQL session or two busy as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
