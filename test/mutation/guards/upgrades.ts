import type { Mutation } from '../mutation.ts'

const tests = ['test/upgrade/under-traffic.test.ts']
const file = 'src/database/migrate.ts'

/** Migrations while the service serves. */
export const upgrades: readonly Mutation[] = [
  {
    name: 'let a migration wait for a lock longer than requests do',
    tests,
    patch: { file, from: 'const lockTimeout = 500', to: 'const lockTimeout = 7_000' },
  },
  {
    name: 'give a migration up at the first lock it does not get',
    tests,
    patch: { file, from: `['55P03', '40P01']`, to: `['40P01']` },
  },
  {
    name: 'call a process ready on the schema of the release before',
    tests,
    patch: { file: 'src/process/readiness.ts', from: 'if (row?.has_newest)', to: 'if (row)' },
  },
  {
    name: 'call a process ready on migrations of the same names and other contents',
    tests: ['test/process/readiness.test.ts'],
    patch: { file: 'src/process/readiness.ts', from: 'if (row?.has_newest)', to: 'if (version >= newest.filename)' },
  },
]
