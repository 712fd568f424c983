import type { Offence } from './offence.ts'

/** Rules about what roles are, own and may do. */
export const offencesOfRoles: Record<string, Offence[]> = {
  wrong_owner: [
    {
      title: 'is a superuser for a view',
      offend: 'alter view api_v1.items owner to session_user',
      objects: ['view api_v1.items'],
    },
    {
      title: 'is a superuser for a function and a table',
      offend: 'alter function access.current_plan() owner to session_user; alter table app.items owner to session_user',
      objects: ['routine access.current_plan()', 'table app.items'],
    },
    {
      title: 'is an exposed role',
      offend: 'grant create on schema api_v1 to studio_graphql; alter view api_v1.items owner to studio_graphql',
      objects: ['view api_v1.items'],
    },
    {
      title: 'is a superuser for what an exposed role may run in a schema of somebody else',
      offend: `create schema other; grant usage on schema other to studio_analyst;
        create function other.leak() returns bigint language sql security definer return (select count(*) from app.items);
        create view other.seen with (security_invoker = true) as select 1 as one;
        grant select on other.seen to studio_analyst`,
      objects: ['routine other.leak()', 'view other.seen'],
    },
    {
      title: 'is an exposed role for the database',
      offend: `do $$ begin execute format('alter database %I owner to studio_graphql', current_database()); end $$`,
      objects: ['database :database'],
    },
  ],
  catalog_function_open: [
    {
      title: 'to everybody',
      offend: 'grant execute on function pg_sleep(double precision), pg_advisory_lock(bigint) to public',
      objects: ['pg_catalog.pg_advisory_lock', 'pg_catalog.pg_sleep'],
    },
    {
      title: 'to an exposed role',
      offend: 'grant execute on function lo_create(oid) to studio_graphql',
      objects: ['pg_catalog.lo_create'],
    },
    {
      title: 'to one login past its group',
      offend: `create role studio_test_offender in role studio_auditor;
        grant execute on function pg_notify(text, text) to studio_test_offender`,
      objects: ['pg_catalog.pg_notify'],
    },
  ],
  language_usage: [
    {
      title: 'is everybody’s',
      offend: 'grant usage on language plpgsql to public',
      objects: ['language plpgsql'],
    },
    { title: 'is an exposed role’s', offend: 'grant usage on language sql to studio_api', objects: ['language sql'] },
    {
      title: 'comes by a group',
      offend: `create role studio_test_coders; grant usage on language sql to studio_test_coders;
        create role studio_test_offender in role studio_analyst, studio_test_coders`,
      objects: ['language sql'],
    },
  ],
  temporary_or_create: [
    {
      title: 'temporary objects of everybody',
      offend: `do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$`,
      objects: ['database :database'],
    },
    {
      title: 'schemas of an exposed role',
      offend: `do $$ begin execute format('grant create on database %I to studio_analyst', current_database()); end $$`,
      objects: ['database :database'],
    },
    {
      title: 'objects of everybody in public',
      offend: 'grant create on schema public to public',
      objects: ['schema public'],
    },
    {
      title: 'objects of one login by way of a group',
      offend: `create role studio_test_makers; grant create on schema api_v1 to studio_test_makers;
        create role studio_test_offender in role studio_analyst, studio_test_makers`,
      objects: ['schema api_v1'],
    },
  ],
  dangerous_membership: [
    {
      title: 'in a role that reads everything',
      offend: 'grant pg_read_all_data to studio_graphql',
      objects: ['role studio_graphql'],
    },
    {
      title: 'in one by way of another role',
      offend: `create role studio_test_offender in role pg_monitor; grant studio_test_offender to studio_graphql`,
      objects: Array.from({ length: 4 }, () => 'role studio_graphql'),
      cure: 'revoke studio_test_offender from studio_graphql',
    },
    {
      title: 'in the owner, of an analyst',
      offend: 'create role studio_test_offender in role studio_analyst, studio_owner',
      objects: ['role studio_test_offender'],
    },
    {
      title: 'in a superuser',
      offend: `create role studio_test_master superuser;
        create role studio_test_offender in role studio_auditor, studio_test_master`,
      objects: ['role studio_test_offender'],
    },
    {
      title: 'that may be passed on',
      offend: 'create role studio_test_offender; grant studio_analyst to studio_test_offender with admin option',
      objects: ['role studio_test_offender'],
    },
  ],
  exposed_role_with_powers: [
    { title: 'past every policy', offend: 'alter role studio_api bypassrls', objects: ['role studio_api'] },
    {
      title: 'over the whole server',
      offend: 'alter role studio_graphql superuser createdb createrole replication',
      objects: ['role studio_graphql'],
    },
    {
      title: 'of one login past its group',
      offend: 'create role studio_test_offender login bypassrls in role studio_analyst',
      objects: ['role studio_test_offender'],
    },
    { title: 'the owner’s: to log in', offend: 'alter role studio_owner login', objects: ['role studio_owner'] },
  ],
  login_without_limits: [
    {
      title: 'of any kind',
      offend: 'create role studio_test_offender login in role studio_analyst',
      objects: ['role studio_test_offender'],
    },
    {
      title: 'that limit anything',
      offend: `create role studio_test_offender login connection limit -1 valid until 'infinity' in role studio_analyst;
        alter role studio_test_offender set temp_file_limit = -1; alter role studio_test_offender set statement_timeout = 0`,
      objects: ['role studio_test_offender'],
    },
    {
      title: 'of its own: those of the group do not reach it',
      offend: `create role studio_test_offender login connection limit 2 valid until '2100-01-01' in role studio_analyst;
        alter role studio_analyst set temp_file_limit = '1GB'; alter role studio_analyst set statement_timeout = '1min'`,
      objects: ['role studio_test_offender'],
    },
  ],
  analyst_mapping_changed: [
    {
      title: 'to another studio',
      offend: `set local role studio_owner;
        do $$ begin perform access.create_studio('One', 'one@example.com', 'One', 'studio', 'UTC', 'EUR');
          perform access.create_studio('Two', 'two@example.com', 'Two', 'studio', 'UTC', 'EUR'); end $$;
        reset role; create role studio_test_offender login in role studio_analyst;
        insert into access.analyst_logins (login, studio_id)
          select 'studio_test_offender', id from app.studios where name = 'One';
        update access.analyst_logins set studio_id = (select id from app.studios where name = 'Two')`,
      objects: ['role studio_test_offender'],
    },
  ],
  setting_with_a_secret: [
    {
      title: 'by its name, of a role',
      offend: `alter role studio_api set studio.signing_key = 'x'`,
      objects: ['role studio_api'],
    },
    {
      title: 'by its name, of the database',
      offend: `do $$ begin execute format('alter database %I set app.jwt_secret = %L', current_database(), 'x'); end $$`,
      objects: ['database :database'],
    },
    {
      title: 'of every role',
      offend: `alter role all set my.upstream = 'postgres://u:hidden@db.example.com/x'`,
      objects: ['role all'],
    },
    {
      title: 'of a role in this database',
      offend: `do $$ begin
        execute format('alter role studio_writer in database %I set my.api_token = %L', current_database(), 'x'); end $$`,
      objects: ['role studio_writer in database :database'],
    },
    {
      title: 'by a password in its value, of a function',
      offend: `alter function access.current_plan() set my.upstream = 'postgres://u:hidden@db.example.com/x'`,
      objects: ['routine access.current_plan()'],
    },
  ],
}
