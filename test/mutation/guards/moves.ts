import { altered, type Mutation } from '../mutation.ts'

const rules = ['test/sql/access/studio_moves.test.ts']
const decisions = ['test/mover/next-step.test.ts']
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
    name: 'forget the removals of a studio that moves to a younger cell',
    tests: rules,
    sql: altered(`pg_get_functiondef('access.removals_since'::regproc)`, 'COALESCE(', 'GREATEST('),
  },
  {
    name: 'purge removals of a studio from another cell without a word',
    tests: rules,
    sql: altered(
      `pg_get_functiondef('access.purge_removals'::regproc)`,
      'where m.studio_id = studio and m.removals_since < horizon',
      'where false',
    ),
  },
  {
    name: 'believe removals of another history in a studio from another cell',
    tests: rules,
    sql: altered(`pg_get_functiondef('app.forget_removals'::regproc)`, 'm.removals_since is not null', 'false'),
  },
  {
    name: 'let the move of a studio that is removed keep it from coming back',
    tests: rules,
    sql: altered(`pg_get_functiondef('access.remove_rows'::regproc)`, `m.state = 'copying'`, 'false'),
  },
  {
    name: 'let an abort delete the copy of a target that has switched',
    tests: decisions,
    patch: {
      file: 'src/apps/mover/next-step.ts',
      from: `if (to === 'landed' || to === 'active' || from === 'moved' || from === 'finished') return 'refused'`,
      to: '',
    },
  },
  {
    name: 'answer from one of two cells that have different data',
    tests: ['test/auth/directory.test.ts'],
    patch: { file: 'src/auth/accepted.ts', from: 'said.size === 1 && ', to: '' },
  },
  {
    name: 'answer nobody when a studio leaves a cell that has just answered',
    tests: ['test/auth/directory.test.ts'],
    patch: { file: 'src/auth/accepted.ts', from: 'if (left.length === 1) return left[0]', to: '' },
  },
  {
    name: 'go on with a move whose source was restored',
    tests: decisions,
    patch: { file: 'src/apps/mover/next-step.ts', from: `return { refused: 'source restored' }`, to: `return 'leave'` },
  },
  {
    name: 'undo a switch by a command that names another target',
    tests: ['test/mover/other-cells.test.ts'],
    patch: { file: 'src/apps/mover/next-step.ts', from: ' && leaving.peer !== target', to: ' && false' },
  },
  {
    name: 'take a move from another source for that of a command',
    tests: ['test/mover/other-cells.test.ts'],
    patch: { file: 'src/apps/mover/next-step.ts', from: ' && arriving.peer !== source', to: ' && false' },
  },
  {
    name: 'let two commands with different targets move a studio at once',
    tests: ['test/mover/other-cells.test.ts'],
    patch: {
      file: 'src/apps/mover/both-cells.ts',
      from: 'for (const cell of [source, target])',
      to: 'for (const cell of [target])',
    },
  },
  {
    name: 'keep believing a cell that a studio has left',
    tests: ['test/mover/moved-on.test.ts'],
    patch: {
      file: 'src/apps/mover/leave-source.ts',
      from: `and direction = 'arriving' and state = 'active'`,
      to: 'and false',
    },
  },
  {
    name: 'let nobody in at the source while the target lacks the studio',
    tests: ['test/mover/moved-on.test.ts'],
    patch: { file: 'src/apps/mover/move.ts', from: '      await requireArrived(move)\n', to: '' },
  },
  {
    name: 'delete the kept copy while the target lacks the studio',
    tests: ['test/mover/moved-on.test.ts'],
    patch: { file: 'src/apps/mover/abort.ts', from: '!(await hasArrived(target, studioId, leaving.id))', to: 'false' },
  },
  {
    name: 'delete the kept copy while no cell says that it has the studio',
    tests: ['test/mover/moved-on.test.ts'],
    patch: { file: 'src/apps/mover/abort.ts', from: 'if (!(await isInOneOf(others, studioId)))', to: 'if (false)' },
  },
  {
    name: 'take a studio back during the switch without being told that the target is lost',
    tests: decisions,
    patch: {
      file: 'src/apps/mover/next-step.ts',
      from: `targetIsLost && from === 'switching'`,
      to: `from === 'switching'`,
    },
  },
  {
    name: 'believe that a target is lost which says that it has the studio',
    tests: ['test/mover/lost.test.ts'],
    patch: { file: 'src/apps/mover/lost.ts', from: `if (said === 'landed' || said === 'active')`, to: 'if (false)' },
  },
  {
    name: 'make a copy writable that is not complete',
    tests: decisions,
    patch: { file: 'src/apps/mover/next-step.ts', from: `if (to !== 'landed') return 'refused'`, to: '' },
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
