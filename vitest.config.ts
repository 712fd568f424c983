import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis, a browser or their time: vitest.redis.config.ts, vitest.browser.config.ts, npm run test:faults.
    exclude: [...configDefaults.exclude, '**/node_modules/**', 'test/{redis,browser,faults}/**'],
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker keeps a PostgreSQL session or two busy as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
