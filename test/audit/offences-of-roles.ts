import { inDatabase } from './changes.ts'
import type { Offence } from './offence.ts'

/** Rules about what roles are, own and may do. */
export const offencesOfRoles: Record<string, Offence[]> = {
  wrong_owner: [
    ['alter view api_v1.items owner to session_user', 'view api_v1.items'],
    [
      'alter function access.current_plan() owner to session_user; alter table app.items owner to session_user',
      ['routine access.current_plan()', 'table app.items'],
    ],
    [
      'grant create on schema api_v1 to studio_graphql; alter view api_v1.items owner to studio_graphql',
      'view api_v1.items',
    ],
    [
      `create schema other; grant usage on schema other to studio_analyst;
        create function other.leak() returns bigint language sql security definer return (select count(*) from app.items);
        create view other.seen with (security_invoker = true) as select 1 as one;
        grant select on other.seen to studio_analyst`,
      ['routine other.leak()', 'view other.seen'],
    ],
    [inDatabase('alter database %I owner to studio_graphql'), 'database :database'],
  ],
  server_left_open: [['select audit.reset_server_rights()', 'server', 'select audit.set_server_rights()']],
  catalog_function_open: [
    [
      'grant execute on function pg_export_snapshot(), pg_advisory_lock(bigint) to public',
      ['pg_catalog.pg_advisory_lock', 'pg_catalog.pg_export_snapshot'],
    ],
    ['grant execute on function lo_create(oid) to studio_graphql', 'pg_catalog.lo_create'],
    ['grant execute on function txid_current() to studio_analyst', 'pg_catalog.txid_current'],
    [
      `create role studio_test_spy in role studio_auditor;
        grant execute on function pg_advisory_lock_shared(bigint) to studio_test_spy`,
      'pg_catalog.pg_advisory_lock_shared',
    ],
  ],
  language_usage: [
    ['grant usage on language plpgsql to public', 'language plpgsql'],
    ['grant usage on language sql to studio_api', 'language sql'],
    [
      `create role studio_test_coders; grant usage on language sql to studio_test_coders;
        create role studio_test_spy in role studio_analyst, studio_test_coders`,
      'language sql',
    ],
  ],
  temporary_or_create: [
    [inDatabase('grant temporary on database %I to public'), 'database :database'],
    [inDatabase('grant create on database %I to studio_analyst'), 'database :database'],
    ['grant create on schema public to public', 'schema public'],
    [
      `create role studio_test_makers; grant create on schema api_v1 to studio_test_makers;
        create role studio_test_spy in role studio_analyst, studio_test_makers`,
      'schema api_v1',
    ],
  ],
  dangerous_membership: [
    ['grant pg_read_all_data to studio_graphql', 'role studio_graphql'],
    [
      `create role studio_test_spy in role pg_monitor; grant studio_test_spy to studio_graphql`,
      Array.from({ length: 4 }, () => 'role studio_graphql'),
      'revoke studio_test_spy from studio_graphql',
    ],
    ['create role studio_test_spy in role studio_analyst, studio_owner', 'role studio_test_spy'],
    [
      `create role studio_test_master superuser;
        create role studio_test_spy in role studio_auditor, studio_test_master`,
      'role studio_test_spy',
    ],
    ['create role studio_test_spy; grant studio_analyst to studio_test_spy with admin option', 'role studio_test_spy'],
  ],
  exposed_role_with_powers: [
    ['alter role studio_api bypassrls', 'role studio_api'],
    ['alter role studio_graphql superuser createdb createrole replication', 'role studio_graphql'],
    ['create role studio_test_spy login bypassrls in role studio_analyst', 'role studio_test_spy'],
    ['alter role studio_owner login', 'role studio_owner'],
  ],
  login_without_limits: [
    ['create role studio_test_spy login in role studio_analyst', 'role studio_test_spy'],
    [
      `create role studio_test_spy login connection limit -1 valid until 'infinity' in role studio_analyst;
        alter role studio_test_spy set temp_file_limit = -1; alter role studio_test_spy set statement_timeout = 0`,
      'role studio_test_spy',
    ],
    [
      `create role studio_test_spy login connection limit 2 valid until '2100-01-01' in role studio_analyst;
        alter role studio_analyst set temp_file_limit = '1GB'; alter role studio_analyst set statement_timeout = '1min'`,
      'role studio_test_spy',
    ],
  ],
  analyst_mapping_changed: [
    [
      `set local role studio_owner;
        do $$ begin perform access.create_studio('One', 'one@example.com', 'One', 'studio', 'UTC', 'EUR');
          perform access.create_studio('Two', 'two@example.com', 'Two', 'studio', 'UTC', 'EUR'); end $$;
        reset role; create role studio_test_spy login in role studio_analyst;
        insert into access.analyst_logins (login, studio_id)
          select 'studio_test_spy', id from app.studios where name = 'One';
        update access.analyst_logins set studio_id = (select id from app.studios where name = 'Two')`,
      'role studio_test_spy',
    ],
  ],
  setting_with_a_secret: [
    [`alter role studio_api set studio.signing_key = 'x'`, 'role studio_api'],
    [inDatabase("alter database %I set app.jwt_secret = 'x'"), 'database :database'],
    [`alter role all set my.upstream = 'postgres://u:hidden@db.example.com/x'`, 'role all'],
    [
      inDatabase("alter role studio_writer in database %I set my.api_token = 'x'"),
      'role studio_writer in database :database',
    ],
    [
      `alter function access.current_plan() set my.upstream = 'postgres://u:hidden@db.example.com/x'`,
      'routine access.current_plan()',
    ],
  ],
}
