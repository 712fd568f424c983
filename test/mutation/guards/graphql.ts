import { altered, type Mutation } from '../mutation.ts'

const openAnalystSession = `pg_get_functiondef('access.open_analyst_session'::regproc)`

const openLoginSession = `pg_get_functiondef('access.open_login_session'::regproc)`

export const graphql: readonly Mutation[] = [
  {
    name: "open an analyst's session to whoever is named",
    tests: ['test/graphql/isolation.test.ts', 'test/sql/access/open_analyst_session.test.ts'],
    sql: altered(openAnalystSession, 'u.id = open_analyst_session.user_id', 'true'),
  },
  {
    name: "open an analyst's session whatever the plan",
    tests: ['test/graphql/isolation.test.ts', 'test/sql/access/open_analyst_session.test.ts'],
    sql: altered(openAnalystSession, 'when access.entitled_plan(s) is null then 403', 'when false then 403'),
  },
  {
    name: "leave an analyst's transaction open on the connection",
    tests: ['test/graphql/isolation.test.ts'],
    patch: { file: 'src/database/analyst-transaction.ts', from: `    await run('commit')\n`, to: '' },
  },
  {
    name: 'take an identity that was made for something else',
    tests: ['test/graphql/identity.test.ts'],
    patch: {
      file: 'src/apps/graphql/analyst-token.ts',
      from: '        audience,\n',
      to: '',
    },
  },
  {
    name: 'let an identity live for as long as it says',
    tests: ['test/graphql/identity.test.ts'],
    patch: {
      file: 'src/apps/graphql/analyst-token.ts',
      from: 'age <= oldest + clockSkewSeconds ? analyst : null',
      to: 'age < 0 ? null : analyst',
    },
  },
  {
    name: "open an analyst's login that has ended",
    tests: ['test/graphql/login-identity.test.ts'],
    sql: altered(openLoginSession, 'r.rolvaliduntil > pg_catalog.now()', 'true'),
  },
  {
    name: "open a studio that is not an analyst's login's",
    tests: ['test/graphql/login-identity.test.ts'],
    sql: altered(openLoginSession, 'l.studio_id = open_login_session.studio_id', 'true'),
  },
  {
    name: "take an identity of before its login's rotation",
    tests: ['test/graphql/login-identity.test.ts'],
    sql: altered(openLoginSession, "g.event = 'rotated'", 'false'),
  },
  {
    name: 'give the identity of the demo to any page',
    tests: ['test/graphql/page.test.ts'],
    patch: {
      file: 'src/apps/graphql/page/demo-identity.ts',
      from: 'known.includes(address.hostname) && address.host === host',
      to: 'known.length > 0 && host !== undefined && address !== null',
    },
  },
  {
    name: 'read any number of GraphQL groups',
    tests: ['test/graphql/large-answers.test.ts'],
    patch: { file: 'src/apps/graphql/answer-size.ts', from: 'value.length > limits.groups', to: 'value.length < 0' },
  },
  {
    name: 'write a GraphQL answer of any size',
    tests: ['test/graphql/large-answers.test.ts'],
    patch: { file: 'src/apps/graphql/answer-size.ts', from: 'bytes > limits.answerBytes', to: 'bytes < 0' },
  },
  {
    name: 'take any number of bytes from the database for a GraphQL answer',
    tests: ['test/database/analyst-transaction.test.ts'],
    patch: { file: 'src/database/analyst-transaction.ts', from: 'if (bytes > most)', to: 'if (bytes < 0)' },
  },
  {
    name: 'give one person all turns of GraphQL',
    tests: ['test/graphql/shares.test.ts'],
    patch: { file: 'src/apps/graphql/shares.ts', from: 'Math.floor(turns / 2)', to: 'turns' },
  },
  {
    name: 'let a GraphQL list be as long as it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/apps/graphql/limits.ts', from: 'given > limits.rows', to: 'given > 2 ** 31' },
  },
  {
    name: 'let a GraphQL query cost what it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/apps/graphql/limits.ts', from: 'cost > limits.cost', to: 'cost < 0' },
  },
  {
    name: 'let a GraphQL query be as deep as it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/apps/graphql/limits.ts', from: 'found.depth > limits.depth', to: 'found.depth < 0' },
  },
  {
    name: 'let GraphQL have whatever the database has',
    tests: ['test/graphql/schema.test.ts'],
    patch: { file: 'src/apps/graphql/tags.ts', from: `tags: { behavior: '-*' }`, to: 'tags: {}' },
  },
  {
    name: 'page past nulls as the library does',
    tests: ['test/graphql/aggregates.test.ts'],
    patch: { file: 'src/apps/graphql/ordering.ts', from: 'if (nullable) {', to: 'if (!nullable) {' },
  },
]
