import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The recipes of integrations/, run in the tools that they are for, against the service with the demo's data. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    include: ['test/integrations/**/*.recipe.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
