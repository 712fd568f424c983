import { altered, type Mutation } from '../mutation.ts'

const rules = ['test/sql/access/studio_moves.test.ts']
const decisions = ['test/mover/decide.test.ts']
const accepts = `pg_get_functiondef('access.accepts_writes'::regproc)`

/** What keeps a studio whole while it moves. */
export const moves: readonly Mutation[] = [
  {
    name: 'let a studio be written while a move has stopped its writes',
    tests: rules,
    sql: altered(accepts, 'return false;', 'return true;'),
  },
  {
    name: 'let a studio be written in the source after the switch',
    tests: rules,
    sql: altered(accepts, `'switching', 'moved', 'arriving'`, `'arriving'`),
  },
  {
    name: 'let a studio be written in the target before the switch',
    tests: rules,
    sql: altered(accepts, `'arriving', 'landed', 'clearing'`, `'clearing'`),
  },
  {
    name: 'let a transaction write after the switch that began before it',
    tests: rules,
    sql: altered(accepts, `<> 'read committed'`, `= 'none'`),
  },
  {
    name: 'let an abort delete the copy of a target that has switched',
    tests: decisions,
    patch: {
      file: 'src/apps/mover/decide.ts',
      from: `if (to === 'landed' || to === 'active' || from === 'moved' || from === 'finished') return 'switched'`,
      to: '',
    },
  },
  {
    name: 'answer from one of two cells that have different data',
    tests: ['test/auth/directory.test.ts'],
    patch: { file: 'src/auth/directory.ts', from: 'versions.size === 1 && ', to: '' },
  },
  {
    name: 'go on with a move whose source was restored',
    tests: decisions,
    patch: { file: 'src/apps/mover/decide.ts', from: `return { refused: 'source restored' }`, to: `return 'leave'` },
  },
  {
    name: 'delete the copy in a cell whose tables the program does not know',
    tests: ['test/mover/preflight.test.ts'],
    patch: { file: 'src/apps/mover/schema.ts', from: 'if (installed?.schema === filename) continue', to: 'continue' },
  },
  {
    name: 'let the statistics of statements keep the password of a move',
    tests: ['test/mover/cell.test.ts'],
    patch: { file: 'src/apps/mover/cell.ts', from: `  'pg_stat_statements.track': 'none',\n`, to: '' },
  },
]
