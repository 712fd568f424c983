import { defineConfig } from 'vitest/config'

/**
 * What looks at a whole server, its roles included, which other tests make and drop; and what tries everything that the
 * catalog has.
 */
export const proofs = [
  'test/audit-prove/**/*.test.ts',
  'test/audit/{comparison,sound}.test.ts',
  'test/cli/audit-{billing,findings,prove}.test.ts',
  'test/isolation/conditions.test.ts',
]

/** The audit, its proof and the conditions of analysts, on a server of their own, one file after the other. `npm run test:audit`. */
export default defineConfig({
  test: {
    include: proofs,
    globalSetup: ['test/support/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 180_000,
  },
})
