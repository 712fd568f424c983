import { configDefaults, defineConfig } from 'vitest/config'
import { proofs } from './test/audit-prove/vitest.config.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis, a browser, an engine, PostgreSQL's programs, their time or a server of their own; each has an npm
    // script of its own.
    exclude: [
      ...configDefaults.exclude,
      '**/node_modules/**',
      'test/{redis,browser,container,backup,faults,scaling,pooler,replica}/**',
      // A single file of them can be named to take a guard away from it.
      ...(process.env.TEST_SABOTAGE === 'true' ? [] : proofs),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // Each worker keeps a PostgreSQL session or two busy as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
