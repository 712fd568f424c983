/**
 * A guard taken away on purpose: by SQL that the administrator runs in the migrated template database, or by a text
 * replaced in a copy of the code. At least one of the tests must turn red.
 */
export type Sabotage = {
  name: string
  tests: string[]
  sql?: string
  patch?: { file: string; from: string; to: string }
}

const itemsPolicy = `"A studio's items are seen and written by that studio alone" on app.items`

/** Installs an object of the schema with a part of its definition replaced; refuses when there is no such part. */
function altered(definition: string, from: string, to: string, prefix = ''): string {
  return `do $do$
    declare before text := ${definition};
    begin
      if strpos(before, $from$${from}$from$) = 0 then raise exception 'nothing to replace'; end if;
      set local role studio_owner;
      execute ${prefix === '' ? '' : `$p$${prefix}$p$ || `}replace(before, $from$${from}$from$, $to$${to}$to$);
      reset role;
    end $do$;`
}

const documents = `pg_get_viewdef('api_v1.item_documents'::regclass)`
const replaceDocuments = 'create or replace view api_v1.item_documents with (security_invoker = true) as '
const listItems = `pg_get_functiondef('api_v1.list_items'::regproc)`
const currentStudio = `pg_get_functiondef('access.current_studio_id'::regproc)`
const openSession = `pg_get_functiondef('access.open_session'::regproc)`

export const sabotages: readonly Sabotage[] = [
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
    tests: ['test/isolation/explain.test.ts'],
    sql: `alter policy ${itemsPolicy} using (studio_id = (select access.current_studio_id()))`,
  },
  {
    name: 'make an index that does not lead with studio_id',
    tests: ['test/isolation/audit.test.ts'],
    sql: 'create index sabotage on app.items (serial_number)',
  },
  {
    name: 'release a client without ending its transaction',
    tests: ['test/isolation/no-context.test.ts', 'test/database/statement.test.ts'],
    patch: {
      file: 'src/database/statement.ts',
      from: `  const result = await pool.query<Row>({ ...statement, values: [...values] })
  return result.rows`,
      to: `  const client = await pool.connect()
  await client.query('begin')
  const result = await client.query<Row>({ ...statement, values: [...values] })
  client.release()
  return result.rows`,
    },
  },
  {
    name: 'cache a token look-up',
    tests: ['test/rest/authority.test.ts'],
    patch: {
      file: 'src/api/serve.ts',
      from: `const answer = await runStatement(api, operation.statement, [token.digest, ...operation.values({ ...values, id })])`,
      to: `const held = (globalThis as unknown as { held: Map<string, Promise<Answer>> })
    held.held ??= new Map()
    const name = operation.id + token.key + request.url
    const asked = held.held.get(name) ?? runStatement(api, operation.statement, [token.digest, ...operation.values({ ...values, id })])
    held.held.set(name, asked)
    const answer = await asked`,
    },
  },
  {
    name: 'skip the plan check',
    tests: ['test/rest/authority.test.ts', 'test/sql/access/open_session.test.ts'],
    sql: altered(openSession, 'elsif answer.plan_tier is null then', 'elsif false then'),
  },
  {
    name: 'run the data query before the rate limit',
    tests: ['test/rest/rate-limit.test.ts'],
    patch: {
      file: 'src/api/serve.ts',
      from: `const { retryAfterSeconds, allowances } = await limiter.admit(token.key)`,
      to: `await runStatement(api, operation.statement, [
      token.digest,
      ...operation.values({ ...readParameters(operation.parameters, splitTarget(request.url).query).values, id: null }),
    ])
    const { retryAfterSeconds, allowances } = await limiter.admit(token.key)`,
    },
  },
  {
    name: 'let the list show a detail field',
    tests: ['test/rest/items.test.ts'],
    sql: altered(documents, 'i.location_id,', `i.location_id, 'uninsured' as coverage_state,`, replaceDocuments),
  },
  {
    name: 'return archived items',
    tests: ['test/rest/items.test.ts', 'test/sql/api_v1/list_items.test.ts'],
    sql: altered(documents, 'WHERE', 'WHERE true or', replaceDocuments),
  },
  {
    name: 'order by updated_at alone',
    tests: ['test/sql/api_v1/ties.test.ts', 'test/sql/api_v1/list_items_ties.test.ts'],
    sql: altered(listItems, 'd.updated_at desc, d.id desc', 'd.updated_at desc'),
  },
  {
    name: 'issue a token without asking for the role',
    tests: ['test/sql/access/issue_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.issue_token'::regproc)`, `and m.role in ('owner', 'admin')`, ''),
  },
  {
    name: 'let the audit log be changed',
    tests: ['test/sql/access/audit_log.test.ts'],
    sql: 'drop trigger append_only on access.audit_log',
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
    tests: ['test/importer/flaws.test.ts'],
    patch: { file: 'src/importer/run.ts', from: 'if (flaws.count > 0) return', to: 'if (flaws.count < 0) return' },
  },
  {
    name: 'write rows of a file that have not changed',
    tests: ['test/importer/items.test.ts'],
    patch: { file: 'src/importer/resolve.ts', from: `else 'same' end`, to: `else 'changed' end` },
  },
  {
    name: 'leave an answer out of the description',
    tests: ['test/openapi'],
    patch: { file: 'src/openapi/responses.ts', from: `    'RateLimited',\n`, to: '' },
  },
  {
    name: 'let the description allow any field',
    tests: ['test/openapi'],
    patch: {
      file: 'src/openapi/schemas.ts',
      from: 'takeNullAsType(schema)\n',
      to: 'takeNullAsType(schema)\n  delete schema.additionalProperties\n',
    },
  },
  {
    name: 'write a hyphen for the em dash of a category',
    tests: ['test/openapi/schemas.test.ts'],
    patch: { file: 'src/api/items.ts', from: `'Outboard \\u2014 Dynamics & EQ'`, to: `'Outboard - Dynamics & EQ'` },
  },
  {
    name: 'let a rule of the audit find nothing',
    tests: ['test/audit/rules.test.ts'],
    sql: altered(
      `pg_get_viewdef('audit.wrong_owner'::regclass)`,
      `(r.rolname <> 'studio_owner'::name)`,
      'false',
      'create or replace view audit.wrong_owner with (security_invoker = true) as ',
    ),
  },
  {
    name: 'leave a rule out of the findings',
    tests: ['test/audit/rules.test.ts'],
    sql: altered(
      `pg_get_viewdef('audit.findings'::regclass)`,
      'FROM audit.login_without_limits',
      'FROM audit.usage_on_app login_without_limits',
      'create or replace view audit.findings with (security_invoker = true) as ',
    ),
  },
  {
    name: 'end the audit with status 0 whatever it finds',
    tests: ['test/cli/audit.test.ts'],
    patch: { file: 'src/cli/audit.ts', from: 'if (!sound) process.exitCode = 1', to: '' },
  },
  {
    name: 'take whatever an attempt of the proof answers for a refusal',
    tests: ['test/cli/audit.test.ts'],
    patch: {
      file: 'src/audit/prove.ts',
      from: `if (expected === 'empty' && rows === 0)`,
      to: `if (expected === 'empty' || rows === 0)`,
    },
  },
  {
    name: 'let an analyst be a studio by naming it, under the proof',
    tests: ['test/cli/audit.test.ts'],
    sql: altered(currentStudio, `if session_user in (`, `if true or session_user in (`),
  },
  {
    name: 'grant a role a column that the matrix does not have',
    tests: ['test/gates/matrix.test.ts'],
    sql: 'grant select (external_key) on app.items to studio_graphql',
  },
  {
    name: 'keep what an attempt of the proof did',
    tests: ['test/cli/audit.test.ts'],
    patch: { file: 'src/audit/prove.ts', from: `await client.query('rollback')`, to: `await client.query('commit')` },
  },
]
