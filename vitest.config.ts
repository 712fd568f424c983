import { configDefaults, defineConfig } from 'vitest/config'
import { proofs } from './test/audit-prove/vitest.config.ts'
import { cells } from './test/mover/vitest.config.ts'
import { waiting } from './test/sync/vitest.config.ts'

/** What a contributor learns nearly everything from, on one server. `npm test`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a Redis, a browser, an engine, PostgreSQL's programs, their time or a server of their own; each has an npm
    // script of its own.
    exclude: [
      ...configDefaults.exclude,
      '**/node_modules/**',
      'test/{redis,browser,container,backup,faults,scaling,pooler,replica,high-availability}/**',
      'test/sync/{pooler,replica}.test.ts',
      // A single file of them can be named with TEST_MUTATION: to take a guard away from it, or to run it on another version.
      ...(process.env.TEST_MUTATION === 'true'
        ? []
        : [...proofs, ...waiting, ...cells, 'test/processes/**', 'test/plans/**']),
    ],
    globalSetup: ['test/support/global-setup.ts'],
    // The files of a worker share what they import. Workers often wait for PostgreSQL, and so there are more of them than cores.
    isolate: false,
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
