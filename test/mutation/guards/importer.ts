import type { Mutation } from '../mutation.ts'

export const importer: readonly Mutation[] = [
  {
    name: 'write formulas into the report of an import',
    tests: ['test/importer/row-errors.test.ts'],
    patch: { file: 'src/apps/importer/report.ts', from: '.map(harmless)', to: '' },
  },
  {
    name: "give the importer's login temporary objects of its own",
    tests: ['test/importer/session.test.ts'],
    patch: {
      file: 'sql/grants/database.sql',
      from: 'temporary on database %I to ',
      to: 'temporary on database %I to studio_writer, ',
    },
  },
  {
    name: 'write a file although lines of it are wrong',
    tests: ['test/importer/row-errors.test.ts'],
    patch: {
      file: 'src/apps/importer/run.ts',
      from: 'if (errors.count > 0) return',
      to: 'if (errors.count < 0) return',
    },
  },
  {
    name: 'make locations for a file of which lines are wrong',
    tests: ['test/importer/foreign/exports.test.ts'],
    patch: {
      file: 'src/apps/importer/run.ts',
      from: "await transaction.query('rollback to savepoint untouched')\n          return outcome",
      to: 'return outcome',
    },
  },
  {
    name: 'make locations that a plan does not allow',
    tests: ['test/importer/foreign/exports.test.ts'],
    patch: {
      file: 'src/apps/importer/foreign/locations.ts',
      from: "and access.current_plan() = 'studio'",
      to: '',
    },
  },
  {
    name: 'write rows of a file that have not changed',
    tests: ['test/importer/items.test.ts'],
    patch: { file: 'src/apps/importer/resolve.ts', from: `else 'same' end`, to: `else 'changed' end` },
  },
]
