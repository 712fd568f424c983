import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** TEST_POOLER=true: the service goes through PgBouncer, and its tests are run too, so that one run tells both. */
const pooled = process.env.TEST_POOLER === 'true'

/** The service and its description, checked by external linters and clients; the suite of test/rest with every exchange validated by Prism. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/contract/**/*.contract.ts',
      'test/rest/**/*.test.ts',
      'test/properties/**/*.test.ts',
      'test/openapi/responses.test.ts',
      ...(pooled ? ['test/pooler/**/*.test.ts'] : []),
    ],
    globalSetup: [`test/${pooled ? 'pooler' : 'support'}/global-setup.ts`, 'test/contract/global-setup.ts'],
    setupFiles: ['test/contract/witness.ts'],
    isolate: false,
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
