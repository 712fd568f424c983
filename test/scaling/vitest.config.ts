import { defineConfig } from 'vitest/config'

/** More than one process and more than one PostgreSQL: needs Debian's postgresql-15, redis-server and pgbouncer. */
export default defineConfig({
  test: {
    include: ['test/scaling/**/*.test.ts'],
    globalSetup: ['test/scaling/global-setup.ts'],
    // The files share the two servers, and stop them.
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
