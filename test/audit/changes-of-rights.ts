import { type Change, inDatabase, less, login, more, open, other, system } from './changes.ts'

const offender = 'role studio_test_offender'

/** Privileges, owners, roles, memberships and settings. */
export const changesOfRights: readonly Change[] = [
  {
    title: 'SELECT on pg_authid',
    plant: `${login} grant select on pg_authid to studio_test_offender`,
    finds: [[system, 'table pg_authid', 'studio_test_offender SELECT']],
  },
  {
    title: 'SELECT on pg_statistic',
    plant: `${login} grant select on pg_statistic to studio_test_offender`,
    finds: [[system, 'table pg_statistic', 'studio_test_offender SELECT']],
  },
  {
    title: 'SELECT on one column of pg_authid',
    plant: 'grant select (rolpassword) on pg_authid to studio_auditor',
    finds: [[system, 'table column pg_authid.rolpassword', 'studio_auditor SELECT']],
  },
  {
    title: 'EXECUTE on pg_read_file',
    plant: `${login} grant execute on function pg_read_file(text) to studio_test_offender`,
    finds: [[system, 'function pg_read_file(text)', 'studio_test_offender EXECUTE']],
  },
  {
    title: 'EXECUTE on access.list_tokens',
    plant: `${login} grant execute on function access.list_tokens to studio_test_offender`,
    finds: [[other, 'function access.list_tokens(uuid)', 'studio_test_offender: EXECUTE']],
  },
  {
    title: 'a SECURITY DEFINER function newly granted to a role of the service',
    plant: 'grant execute on function access.list_analysts to studio_graphql',
    finds: [
      [other, 'function access.list_analysts(uuid)', 'privileges of studio_graphql: EXECUTE; this release: none'],
    ],
  },
  ...[
    ['pg_export_snapshot()', open],
    ['pg_sleep(double precision)', open],
    ['lo_get(oid)', open],
    ['pg_stat_get_activity(integer)', other],
  ].map(([signature = '', rule = '']) => ({
    title: `EXECUTE restored on ${signature}`,
    plant: `grant execute on function ${signature} to public`,
    finds: [[rule, `function ${signature}`]] as const,
  })),
  {
    title: 'EXECUTE restored on pg_logical_emit_message',
    plant: `do $$ declare f text; begin
      for f in select oid::regprocedure from pg_proc where proname = 'pg_logical_emit_message' loop
        execute 'grant execute on function ' || f || ' to public'; end loop; end $$`,
    finds: [[open, 'function pg_logical_emit_message(boolean,text,']],
  },
  {
    title: 'USAGE restored on a language',
    plant: 'grant usage on language plpgsql to public',
    finds: [[other, 'language plpgsql', 'everybody USAGE']],
  },
  {
    title: 'a column granted',
    plant: 'grant select (notes) on app.policies to studio_analyst',
    finds: [[other, 'column app.policies.notes', 'privileges of studio_analyst: SELECT; this release: none']],
  },
  {
    title: 'a grant that may be passed on',
    plant: 'grant select on api_v1.items to studio_analyst with grant option',
    finds: [[other, 'view api_v1.items', 'SELECT, may be passed on']],
  },
  {
    title: 'USAGE on a schema',
    plant: 'grant usage on schema app to studio_analyst',
    finds: [[other, 'schema app', 'privileges of studio_analyst: USAGE']],
  },
  {
    title: 'the schema public open to everybody',
    plant: 'grant create, usage on schema public to public',
    finds: [[other, 'schema public', 'everybody CREATE, USAGE']],
  },
  {
    title: 'CONNECT for everybody',
    plant: inDatabase('grant connect on database %I to public'),
    finds: [[other, 'database', 'privileges of everybody: CONNECT']],
  },
  {
    title: 'CREATE in a tablespace',
    plant: 'grant create on tablespace pg_default to studio_analyst',
    finds: [[more, 'tablespace pg_default', 'studio_analyst CREATE']],
  },
  {
    title: 'a parameter that may be set',
    plant: 'grant set on parameter session_replication_role to studio_writer',
    finds: [[more, 'parameter session_replication_role', 'studio_writer SET']],
  },
  {
    title: 'a parameter that may be set for the whole server',
    plant: 'grant alter system on parameter session_preload_libraries to studio_analyst',
    finds: [[more, 'parameter session_preload_libraries', 'ALTER SYSTEM']],
  },
  {
    title: 'default privileges on tables to come',
    plant: 'alter default privileges for role studio_owner in schema app grant select on tables to studio_analyst',
    finds: [[more, 'default privileges of studio_owner for tables in app', 'studio_analyst SELECT']],
  },
  {
    title: 'functions to come that everybody may run',
    plant: 'alter default privileges for role studio_owner grant execute on functions to public',
    finds: [[less, 'default privileges of studio_owner for functions']],
  },
  {
    title: 'another owner of a table and of a function',
    plant: `alter table access.tokens owner to session_user; alter function access.refuse_change() owner to session_user`,
    finds: [
      [other, 'table access.tokens', 'owner: administrator; this release: studio_owner'],
      [other, 'function access.refuse_change()', 'owner: administrator'],
    ],
  },
  {
    title: 'a login that becomes the owner',
    plant: `${login} grant studio_owner to studio_test_offender`,
    finds: [[more, offender, 'member of studio_owner']],
  },
  {
    title: 'a login that becomes an analyst’s',
    plant: `create role analyst_0123456789ab login in role studio_analyst; ${login}
      grant analyst_0123456789ab to studio_test_offender`,
    finds: [[more, offender, 'member of analyst_0123456789ab']],
  },
  {
    title: 'a membership of the service in what comes with the server',
    plant: 'grant pg_read_server_files to studio_recorder',
    finds: [[other, 'role studio_recorder', 'member of pg_read_server_files']],
  },
  {
    title: 'an auditor who may let others in',
    plant: `${login} grant studio_auditor to studio_test_offender with admin option`,
    finds: [[other, offender, 'may let others in']],
  },
  {
    title: 'another superuser',
    plant: 'create role studio_test_offender superuser',
    finds: [[more, offender, 'superuser yes']],
  },
  {
    title: 'a login past row-level security',
    plant: 'create role studio_test_offender login bypassrls',
    finds: [[more, offender, 'past row-level security yes']],
  },
  {
    title: 'the end of a login of the service',
    plant: `alter role studio_api valid until '2000-01-01'`,
    finds: [[other, 'role studio_api', 'valid until']],
  },
  {
    title: 'a login of the service with one connection',
    plant: 'alter role studio_api connection limit 1',
    finds: [[other, 'role studio_api', 'connections: 1']],
  },
  {
    title: 'an analyst’s login without end and limits, by hand',
    plant: 'create role studio_test_offender login in role studio_analyst',
    finds: [
      [other, offender, 'connections: none'],
      [other, offender, 'valid until: none'],
      [other, offender, 'setting statement_timeout: none'],
    ],
  },
  {
    title: 'an analyst’s login with a setting of its own',
    plant: `create role analyst_0123456789ab login connection limit 2 valid until '2100-01-01' in role studio_analyst;
      alter role analyst_0123456789ab set session_preload_libraries = 'spy'`,
    finds: [[other, 'role analyst_0123456789ab', 'setting session_preload_libraries: spy']],
  },
  ...(
    [
      ['alter role studio_graphql set studio.id = %L', 'setting studio.id'],
      ['alter role studio_writer set row_security = off', 'setting row_security: off'],
      ['alter role studio_api set session_preload_libraries = %L', 'setting session_preload_libraries'],
      ['alter role studio_api set search_path = public', 'setting search_path: public'],
      [
        'alter role studio_graphql set default_transaction_read_only = off',
        'default_transaction_read_only: off; this release: on',
      ],
      [
        'alter role studio_api reset default_transaction_read_only',
        'default_transaction_read_only: none; this release: on',
      ],
      ['alter role studio_writer set session_replication_role = replica', 'session_replication_role: replica'],
    ] as const
  ).map(([plant, says]) => ({
    title: `a setting of a role: ${plant.replace(' = %L', '')}`,
    plant: plant.replace('%L', "'x'"),
    finds: [[other, `role ${plant.split(' ')[2]}`, says]] as const,
  })),
  {
    title: 'a setting of a role in this database alone',
    plant: inDatabase('alter role studio_api in database %I set default_transaction_read_only = off'),
    finds: [[other, 'role studio_api', 'in this database: off; this release: none']],
  },
  ...['studio.id', 'row_security', 'session_preload_libraries', 'search_path', 'default_transaction_read_only'].map(
    (name) => ({
      title: `a setting of the database: ${name}`,
      plant: inDatabase(
        `alter database %I set ${name} = ${name.includes('_') && !/path|libr/.test(name) ? 'off' : "'x'"}`,
      ),
      finds: [[other, 'database', `setting ${name}: `]] as const,
    }),
  ),
  {
    title: 'a setting of every role',
    plant: `alter role all set search_path = 'public'`,
    finds: [[more, 'setting search_path of every role']],
  },
]
