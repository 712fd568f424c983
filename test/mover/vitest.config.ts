import { defineConfig } from 'vitest/config'

/** What has several cells: databases behind one service, and studios that move from one to another. */
export const cells = [
  'test/mover/**/*.test.ts',
  'test/{cli,console,graphql,rest}/cells.test.ts',
  'test/console/moving.test.ts',
]

/** Several cells, each a database of its own. `npm run test:cells`. */
export default defineConfig({
  test: {
    include: cells,
    globalSetup: ['test/support/global-setup.ts'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
