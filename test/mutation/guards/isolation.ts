import { altered, type Mutation } from '../mutation.ts'

const itemsPolicy = `"A studio's items are seen and written by that studio alone" on app.items`
const currentStudio = `pg_get_functiondef('access.current_studio_id'::regproc)`

export const isolation: readonly Mutation[] = [
  {
    name: 'read the items of every studio on a day',
    tests: ['test/report/isolation.test.ts'],
    // By the login that makes reports alone: closing months writes down what it reads, and refuses a stranger's row.
    sql: `${altered(
      `pg_get_functiondef('valuation.inventory'::regproc)`,
      's.id = ( SELECT access.current_studio_id() AS current_studio_id)',
      `(s.id = access.current_studio_id() or session_user = 'studio_api')`,
    )}
      alter policy ${itemsPolicy} using (studio_id = access.current_studio_id() or session_user = 'studio_api')`,
  },
  {
    name: 'let whoever makes a report see what is written meanwhile',
    tests: ['test/report/isolation.test.ts'],
    patch: { file: 'src/database/session.ts', from: 'isolation level repeatable read, read only', to: 'read only' },
  },
  {
    name: 'write cells that a spreadsheet evaluates',
    tests: ['test/report/content.test.ts'],
    patch: { file: 'src/domain/spreadsheet.ts', from: 'formula.test(text) ?', to: 'false ?' },
  },
  {
    name: 'drop a policy',
    tests: ['test/isolation/forged-settings.test.ts', 'test/isolation/no-context.test.ts'],
    sql: `drop policy ${itemsPolicy}`,
  },
  {
    name: 'replace a policy by one that lets everything through',
    tests: ['test/isolation/forged-settings.test.ts', 'test/isolation/no-context.test.ts'],
    sql: `alter policy ${itemsPolicy} using (true) with check (true)`,
  },
  {
    name: 'make a policy TO a role',
    tests: ['test/isolation/drop-owned.test.ts', 'test/isolation/audit.test.ts'],
    sql: `alter policy ${itemsPolicy} to studio_owner, studio_api, studio_writer, studio_analyst, studio_graphql`,
  },
  {
    name: 'trust the setting for every login',
    tests: ['test/isolation/forged-settings.test.ts'],
    sql: altered(currentStudio, `if session_user in (`, `if true or session_user in (`),
  },
  {
    name: 'drop FORCE',
    tests: ['test/isolation/audit.test.ts'],
    sql: 'alter table app.items no force row level security',
  },
  {
    name: 'drop security_invoker',
    tests: ['test/isolation/forged-settings.test.ts', 'test/isolation/audit.test.ts'],
    sql: 'alter view api_v1.items set (security_invoker = false)',
  },
  {
    name: 'grant a hidden column',
    tests: ['test/isolation/hidden-columns.test.ts'],
    sql: 'grant select (notes) on app.policies to studio_analyst',
  },
  {
    name: 'grant USAGE on app',
    tests: ['test/isolation/writes.test.ts', 'test/isolation/hidden-columns.test.ts'],
    sql: 'grant usage on schema app to studio_analyst',
  },
  {
    name: 'give a text column statistics back',
    tests: ['test/isolation/explain.test.ts'],
    sql: 'alter table app.items alter column serial_number set statistics 100',
  },
  {
    name: 'compare the studio after what an analyst compares',
    tests: ['test/isolation/explain.test.ts', 'test/isolation/conditions.test.ts'],
    sql: `alter policy ${itemsPolicy} using (studio_id = (select access.current_studio_id()))`,
  },
  {
    name: 'compare the studio at a cost',
    tests: ['test/isolation/conditions.test.ts'],
    sql: `alter policy ${itemsPolicy} using (studio_id = (select access.current_studio_id())
      and studio_id = any (array[(select access.current_studio_id())]))`,
  },
  {
    name: 'let a view become an arm of a UNION ALL',
    tests: ['test/isolation/conditions.test.ts'],
    sql: altered(
      `'create or replace view api_v1.policies with (security_invoker = true) as '
      || replace(pg_get_viewdef('api_v1.policies'::regclass), '(p.studio_id', '(studio_id')`,
      `WHERE (studio_id IS NOT NULL)`,
      ``,
    ),
  },
  {
    name: 'let two studios have one studio_hash',
    tests: ['test/isolation/audit.test.ts'],
    sql: 'alter table app.studios drop constraint studios_studio_hash_key',
  },
  {
    name: 'make an index that does not lead with studio_id',
    tests: ['test/isolation/audit.test.ts'],
    sql: 'create index mutation on app.items (serial_number)',
  },
  {
    name: 'release a client without ending its transaction',
    tests: ['test/isolation/no-context.test.ts', 'test/database/statement.test.ts'],
    patch: {
      file: 'src/database/statement.ts',
      from: `  const result = await driver.query<Row>({ ...statement, values: [...values] })
  return result.rows`,
      to: `  const client = await driver.connect()
  await client.query('begin')
  const result = await client.query<Row>({ ...statement, values: [...values] })
  client.release()
  return result.rows`,
    },
  },
]
