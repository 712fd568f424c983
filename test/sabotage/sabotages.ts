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
const watchAnalysts = `pg_get_functiondef('access.watch_analysts'::regproc)`
const openSession = `pg_get_functiondef('access.open_session'::regproc)`
const openAnalystSession = `pg_get_functiondef('access.open_analyst_session'::regproc)`

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
    name: 'issue a token without asking for the plan',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.issue_token'::regproc)`, 'if plan is null then', 'if false then'),
  },
  {
    name: 'issue a token without asking whether the scope is a member',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.issue_token'::regproc)`,
      'if issue_token.scope_user_id is not null then',
      'if false then',
    ),
  },
  {
    name: 'issue a token that the audit log does not know',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/issue_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.issue_token'::regproc)`,
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);`,
      `'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);
       alter table access.audit_log disable trigger user;
       delete from access.audit_log where token_id = issued.id;
       alter table access.audit_log enable trigger user;`,
    ),
  },
  {
    name: 'revoke a token without asking for the role',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(`pg_get_functiondef('access.revoke_token'::regproc)`, `and m.role in ('owner', 'admin')`, ''),
  },
  {
    name: 'revoke a token again as if it were not',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.revoke_token'::regproc)`,
      'if held.revoked_at is null then',
      'if true then',
    ),
  },
  {
    name: 'let members of a studio do what its owners do',
    tests: ['test/console/tokens.test.ts'],
    sql: altered(
      `pg_get_functiondef('console.manager'::regproc)`,
      `if held.role not in ('owner', 'admin') then`,
      'if false then',
    ),
  },
  {
    name: 'show the tokens of a studio to everybody who is signed in',
    tests: ['test/console/tokens.test.ts', 'test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.membership'::regproc)`, 'and m.user_id = person', ''),
  },
  {
    name: 'show tokens where the public API is off',
    tests: ['test/console/tokens.test.ts', 'test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.membership'::regproc)`, 'and s.public_api', ''),
  },
  {
    name: 'let a session of the console last for ever',
    tests: ['test/console/sign-in.test.ts'],
    sql: altered(`pg_get_functiondef('console.signed_in'::regproc)`, 'and s.expires_at > pg_catalog.now()', ''),
  },
  {
    name: 'let one sign-in open two sessions',
    tests: ['test/console/sign-in.test.ts'],
    sql: altered(`pg_get_functiondef('console.use_once'::regproc)`, 'return found;', 'return true;'),
  },
  {
    name: 'show the members of a studio to its members',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.list_members'::regproc)`, 'console.manager(', 'console.membership('),
  },
  {
    name: 'show the audit log to members',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: altered(`pg_get_functiondef('console.list_audit_log'::regproc)`, 'console.manager(', 'console.membership('),
  },
  {
    name: 'show the activity of a token to other studios',
    tests: ['test/sql/console/sessions.test.ts'],
    sql: `do $do$ begin
      set local role studio_owner;
      create or replace function access.token_activity(studio_id uuid, token_id uuid)
      returns table (at timestamptz, endpoint text, status smallint, duration_ms real)
      language sql stable security definer set search_path = '' begin atomic
        select a.at, a.endpoint, a.status, a.duration_ms from access.request_activity a
        where a.token_id = token_activity.token_id;
      end;
      reset role;
    end $do$;`,
  },
  {
    name: 'keep a session that was signed out',
    tests: ['test/console/sign-in.test.ts'],
    sql: `do $do$ begin
      set local role studio_owner;
      create or replace function console.sign_out(session_digest bytea) returns void
      language sql volatile security definer set search_path = '' return null::void;
      reset role;
    end $do$;`,
  },
  {
    name: 'revoke a token of any studio',
    tests: ['test/console/tokens.test.ts', 'test/sql/access/revoke_token.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.revoke_token'::regproc)`,
      'where t.studio_id = revoke_token.studio_id and t.id',
      'where t.id',
    ),
  },
  {
    name: 'show a new token as often as its cookie comes',
    tests: ['test/console/tokens.test.ts'],
    sql: altered(`pg_get_functiondef('console.use_once'::regproc)`, 'return found;', 'return true;'),
  },
  {
    name: 'believe an e-mail that nobody has verified',
    tests: ['test/console/sign-in.test.ts'],
    patch: { file: 'src/console/identity.ts', from: 'email_verified: z.literal(true),', to: '' },
  },
  {
    name: 'take an ID token that was made for others',
    tests: ['test/console/sign-in.test.ts'],
    patch: { file: 'src/console/identity.ts', from: '      ...expected,\n', to: '      issuer: expected.issuer,\n' },
  },
  {
    name: 'take signatures by a shared secret',
    tests: ['test/console/sign-in.test.ts'],
    patch: { file: 'src/console/identity.ts', from: '      algorithms,\n', to: '' },
  },
  {
    name: 'take a sign-in from any page',
    tests: ['test/console/sign-in.test.ts'],
    patch: {
      file: 'src/console/sign-in.ts',
      from: 'if (!isFrom([...context.origins, ...method.origins], request)) throw forgedForm()',
      to: '',
    },
  },
  {
    name: 'take forms without their proof',
    tests: ['test/console/tokens.test.ts'],
    patch: {
      file: 'src/console/console.ts',
      from: 'if (!genuine || !isFrom',
      to: 'if (!isFrom',
    },
  },
  {
    name: 'take forms from anywhere',
    tests: ['test/console/tokens.test.ts'],
    patch: {
      file: 'src/console/console.ts',
      from: 'if (!genuine || !isFrom(origins, request))',
      to: 'if (!genuine)',
    },
  },
  {
    name: 'take ID tokens of any issuer',
    tests: ['test/console/sign-in.test.ts'],
    patch: {
      file: 'src/console/identity.ts',
      from: '      ...expected,\n',
      to: '      audience: expected.audience,\n',
    },
  },
  {
    name: 'show a new token to another session',
    tests: ['test/console/tokens.test.ts'],
    patch: {
      file: 'src/console/reveal.ts',
      from: '          audience: audienceOf(place),\n',
      to: '',
    },
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
    name: 'let the watchdog spare who turned the timeout off',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.statement > s.statement_limit then', 'when false then'),
  },
  {
    name: 'let the watchdog end nobody who is deaf to a cancel',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.statement > s.statement_limit + least', 'when false and s.statement > least'),
  },
  {
    name: 'let the watchdog spare a transaction that stays idle',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, 'when s.idle > s.statement_limit then', 'when false then'),
  },
  {
    name: 'let the watchdog end others than analysts',
    tests: ['test/analysts/watchdog.test.ts'],
    sql: altered(watchAnalysts, `and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')`, ''),
  },
  {
    name: 'start no watchdog',
    tests: ['test/analysts/service.test.ts'],
    patch: {
      file: 'src/main.ts',
      from: 'watchAnalysts(() => endOverdue(recording), log)',
      to: 'async () => undefined',
    },
  },
  {
    name: 'keep the mapping of a dropped login',
    tests: ['test/analysts/cutting.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.drop_analyst'::regproc)`,
      'delete from access.analyst_logins l where l.login = known;',
      '',
    ),
  },
  {
    name: 'keep the sessions of a dropped login',
    tests: ['test/analysts/cutting.test.ts', 'test/cli/analyst.test.ts'],
    patch: {
      file: 'src/analysts/logins.ts',
      from: 'select access.end_sessions($1::oid) as ended',
      to: 'select 0 + 0 * $1::bigint as ended',
    },
  },
  {
    name: 'keep the login of a member who has left',
    tests: ['test/analysts/cutting.test.ts'],
    sql: 'alter table access.analyst_logins drop constraint analyst_logins_member',
  },
  {
    name: "leave temporary files of analysts' unlimited",
    tests: ['test/analysts/login.test.ts'],
    sql: altered(`pg_get_functiondef('access.create_analyst'::regproc)`, `'1GB'`, `'-1'`),
  },
  {
    name: 'make a login without a connection limit',
    tests: ['test/analysts/login.test.ts', 'test/analysts/crowd.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.create_analyst'::regproc)`,
      'connection limit %s ',
      'connection limit -%s ',
    ),
  },
  {
    name: 'let analysts have every connection of the server',
    tests: ['test/analysts/login.test.ts', 'test/analysts/crowd.test.ts'],
    sql: altered(`pg_get_functiondef('access.create_analyst'::regproc)`, '::integer / 2', '::integer * 2'),
  },
  {
    name: 'let analysts see the list of sessions',
    tests: ['test/analysts/attacks.test.ts'],
    sql: 'grant execute on function pg_catalog.pg_stat_get_activity(integer) to public',
    // Every copy of the template gets the grants again.
    patch: { file: 'sql/grants/database.sql', from: `, 'pg_stat_get_activity'`, to: '' },
  },
  {
    name: "forget an analyst's statements",
    tests: ['test/analysts/login.test.ts', 'test/analysts/service.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.create_analyst'::regproc)`,
      `('log_statement', 'all')`,
      `('log_statement', 'none')`,
    ),
  },
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
    patch: { file: 'src/database/analysis.ts', from: `    await run('commit')\n`, to: '' },
  },
  {
    name: 'take an identity that was made for something else',
    tests: ['test/graphql/identity.test.ts'],
    patch: {
      file: 'src/graphql/identity.ts',
      from: 'issuer, audience, algorithms: [algorithm]',
      to: 'issuer, algorithms: [algorithm]',
    },
  },
  {
    name: 'take an e-mail that nobody vouches for',
    tests: ['test/graphql/identity.test.ts'],
    patch: { file: 'src/graphql/identity.ts', from: ' || verified !== true', to: '' },
  },
  {
    name: 'let an identity live for as long as it says',
    tests: ['test/graphql/identity.test.ts'],
    patch: { file: 'src/graphql/identity.ts', from: ', maxTokenAge: longestLife', to: '' },
  },
  {
    name: 'let a GraphQL list be as long as it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/graphql/limits.ts', from: 'given > limits.rows', to: 'given > 2 ** 31' },
  },
  {
    name: 'let a GraphQL query cost what it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/graphql/limits.ts', from: 'cost > limits.cost', to: 'cost < 0' },
  },
  {
    name: 'let a GraphQL query be as deep as it likes',
    tests: ['test/graphql/limits.test.ts'],
    patch: { file: 'src/graphql/limits.ts', from: 'found.depth > limits.depth', to: 'found.depth < 0' },
  },
  {
    name: 'let GraphQL have whatever the database has',
    tests: ['test/graphql/schema.test.ts'],
    patch: { file: 'src/graphql/tags.ts', from: `tags: { behavior: '-*' }`, to: 'tags: {}' },
  },
  {
    name: 'page past nulls as the library does',
    tests: ['test/graphql/aggregates.test.ts'],
    patch: { file: 'src/graphql/ordering.ts', from: 'if (nullable) {', to: 'if (!nullable) {' },
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
