import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis, a browser, an engine, PostgreSQL's programs or their time; each has an npm script of its own.
    exclude: [
      ...configDefaults.exclude,
      '**/node_modules/**',
      'test/{redis,browser,container,backup,faults,scaling,pooler,replica}/**',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker keeps a PostgreSQL session or two busy as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
