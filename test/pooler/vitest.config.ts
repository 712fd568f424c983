import { defineConfig } from 'vitest/config'

/** The REST suite and what the console does most, behind Debian's PgBouncer in transaction mode: `apt-get install pgbouncer`. */
export default defineConfig({
  test: {
    include: [
      'test/rest/**/*.test.ts',
      'test/properties/isolation*.test.ts',
      'test/console/{sessions,creating-tokens,revoking-tokens,members,who-may}.test.ts',
      'test/pooler/**/*.test.ts',
    ],
    globalSetup: ['test/pooler/global-setup.ts'],
    isolate: false,
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
