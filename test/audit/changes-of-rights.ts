import { type Change, inDatabase, less, login, more, open, other, system } from './changes.ts'

const readOnly = 'default_transaction_read_only'
const offender = 'role studio_test_spy'

/** Privileges, owners, roles, memberships and settings. */
export const changesOfRights: readonly Change[] = [
  [`${login} grant select on pg_authid to studio_test_spy`, [system, 'table pg_authid', 'studio_test_spy SELECT']],
  [
    'grant select (rolpassword) on pg_authid to studio_auditor',
    [system, 'table column pg_authid.rolpassword', 'studio_auditor SELECT'],
  ],
  [
    `${login} grant execute on function pg_read_file(text) to studio_test_spy`,
    [system, 'function pg_read_file(text)', 'studio_test_spy EXECUTE'],
  ],
  [
    'grant execute on function access.list_analysts to studio_graphql',
    [other, 'function access.list_analysts(uuid)', 'privileges of studio_graphql: EXECUTE; this release: none'],
  ],
  ...[
    ['pg_export_snapshot()', open],
    ['pg_advisory_lock(bigint)', open],
    ['lo_create(oid)', open],
    ['pg_stat_get_activity(integer)', other],
  ].map(([of = '', rule = '']): Change => [`grant execute on function ${of} to public`, [rule, `function ${of}`]]),
  ['grant usage on language plpgsql to public', [other, 'language plpgsql', 'everybody USAGE']],
  [
    'grant select (notes) on app.policies to studio_analyst',
    [other, 'column app.policies.notes', 'privileges of studio_analyst: SELECT; this release: none'],
  ],
  [
    'grant select on api_v1.items to studio_analyst with grant option',
    [other, 'view api_v1.items', 'SELECT, may be passed on'],
  ],
  ['grant usage on schema app to studio_analyst', [other, 'schema app', 'privileges of studio_analyst: USAGE']],
  ['grant create, usage on schema public to public', [other, 'schema public', 'everybody CREATE, USAGE']],
  [inDatabase('grant connect on database %I to public'), [other, 'database', 'privileges of everybody: CONNECT']],
  ['grant create on tablespace pg_default to studio_analyst', [more, 'tablespace pg_default', 'studio_analyst CREATE']],
  [
    'grant set on parameter session_replication_role to studio_writer',
    [more, 'parameter session_replication_role', 'studio_writer SET'],
  ],
  [
    'alter default privileges for role studio_owner in schema app grant select on tables to studio_analyst',
    [more, 'default privileges of studio_owner for tables in app', 'studio_analyst SELECT'],
  ],
  [
    'alter default privileges for role studio_owner grant execute on functions to public',
    [less, 'default privileges of studio_owner for functions'],
  ],
  [
    `alter table access.tokens owner to session_user; alter function access.refuse_change() owner to session_user`,
    [other, 'table access.tokens', 'owner: administrator; this release: studio_owner'],
    [other, 'function access.refuse_change()', 'owner: administrator'],
  ],
  [`${login} grant studio_owner to studio_test_spy`, [more, offender, 'member of studio_owner']],
  [
    `create role analyst_0123456789ab login in role studio_analyst; ${login}
      grant analyst_0123456789ab to studio_test_spy`,
    [more, offender, 'member of analyst_0123456789ab'],
  ],
  ['grant pg_read_server_files to studio_recorder', [other, 'role studio_recorder', 'member of pg_read_server_files']],
  [`${login} grant studio_auditor to studio_test_spy with admin option`, [other, offender, 'may let others in']],
  ['create role studio_test_spy login bypassrls', [more, offender, 'past row-level security yes']],
  [`alter role studio_api valid until '2000-01-01'`, [other, 'role studio_api', 'valid until']],
  [
    'create role studio_test_spy login in role studio_analyst',
    [other, offender, 'connections: none'],
    [other, offender, 'valid until: none'],
    [other, offender, 'setting statement_timeout: none'],
  ],
  [
    `create role analyst_0123456789ab login connection limit 2 valid until '2100-01-01' in role studio_analyst;
      alter role analyst_0123456789ab set session_preload_libraries = 'spy'`,
    [other, 'role analyst_0123456789ab', 'setting session_preload_libraries: spy'],
  ],
  ...(
    [
      ['alter role studio_graphql set studio.id = %L', 'setting studio.id'],
      ['alter role studio_graphql set default_transaction_read_only = off', `${readOnly}: off; this release: on`],
      ['alter role studio_api reset default_transaction_read_only', `${readOnly}: none; this release: on`],
    ] as const
  ).map(([plant, says]): Change => [plant.replace('%L', "'x'"), [other, `role ${plant.split(' ')[2]}`, says]]),
  [
    inDatabase('alter role studio_api in database %I set default_transaction_read_only = off'),
    [other, 'role studio_api', 'in this database: off; this release: none'],
  ],
  [inDatabase(`alter database %I set search_path = 'x'`), [other, 'database', 'setting search_path: x']],
  [`alter role all set search_path = 'public'`, [more, 'setting search_path of every role']],
]
