import { guardsOf, inFile } from '../guard.ts'

/** These guards keep a studio from taking what the others need. */
export const neighbours = guardsOf({
  'rest/shares': {
    'let a studio have every connection': inFile('src/database/pool.ts', 'Math.max(1, Math.floor(size / 2))', 'size'),
    'let a studio have the whole line': inFile('src/database/pool.ts', 'Math.ceil(maxWaiting / 2)', 'maxWaiting'),
    'let a studio wait for itself for ever': 'src/database/pool.ts: > waitMs → > Number.POSITIVE_INFINITY',
    'authenticate behind data': inFile(
      'src/api/read.ts',
      'createAuthentication(pools.authentication)',
      'createAuthentication(pools.api)',
    ),
    'compute all items where lists are read': 'src/api/read.ts: ofAllItems ? allItems : api → api',
  },
  'graphql/shares': {
    'let a studio take every connection of GraphQL': inFile(
      'src/graphql/execute.ts',
      'running: half(connections)',
      'running: connections',
    ),
    'let a person take the turns of colleagues': inFile(
      'src/graphql/execute.ts',
      'running: half(half(connections))',
      'running: half(connections)',
    ),
  },
  'graphql/limits': {
    'compare texts with a pattern of any length': inFile(
      'src/graphql/schema.ts',
      'input.length > limits.pattern',
      'input.length > 1e9',
    ),
  },
  'console/shares': {
    'let a studio read its pages by every connection': inFile(
      'src/console/studio/member-session.ts',
      'pool.inShare(studioId, () => pool.instrumented',
      '((_: string, work: () => Promise<Result>) => work())(studioId, () => pool.instrumented',
    ),
  },
  'database/orphans': {
    'open a connection for one that still works': 'src/database/orphans.ts: driver.options.max -= 1 →',
  },
})
