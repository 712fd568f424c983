import { defineConfig } from 'vitest/config'

/** What waits for the watermark, which every open transaction of the server holds back, those of other test files too. */
export const waiting = ['test/sync/**/*.test.ts', 'test/sql/access/{heartbeats,watermark}.test.ts']

/** Clients that poll, on a primary, with reads on a lagging replica and through PgBouncer: needs Debian's postgresql-15. */
export default defineConfig({
  test: {
    include: waiting,
    globalSetup: ['test/scaling/global-setup.ts'],
    // They wait for moments, and would only slow each other down.
    maxWorkers: 1,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
