import { defineConfig } from 'vitest/config'

/** What looks at a whole server, its roles included, which other tests make and drop. */
export const proofs = [
  'test/audit-prove/**/*.test.ts',
  'test/audit/{comparison,sound}.test.ts',
  'test/cli/audit-{findings,prove}.test.ts',
]

/** The audit and its proof against a server that is theirs alone, one file after the other. `npm run test:audit`. */
export default defineConfig({
  test: {
    include: proofs,
    globalSetup: ['test/support/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 180_000,
  },
})
