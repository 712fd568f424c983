import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The service and its description, checked by external linters and clients; the suite of test/rest with every exchange validated by Prism. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: [
      'test/contract/**/*.contract.ts',
      'test/rest/**/*.test.ts',
      'test/properties/**/*.test.ts',
      'test/openapi/responses.test.ts',
    ],
    globalSetup: ['test/support/global-setup.ts', 'test/contract/global-setup.ts'],
    setupFiles: ['test/contract/witness.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
