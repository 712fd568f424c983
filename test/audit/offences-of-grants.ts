import type { Offence } from './offence.ts'

/** Rules about views, functions, indexes and privileges. */
export const offencesOfGrants: Record<string, Offence[]> = {
  view_not_invoker: [
    ['alter view api_v1.items reset (security_invoker)', 'api_v1.items'],
    ['alter view api_v1.items set (security_invoker = off)', 'api_v1.items'],
    [
      `create schema other; grant usage on schema other to studio_graphql;
        create view other.leak as select * from app.items; grant select on other.leak to studio_graphql`,
      'other.leak',
    ],
  ],
  function_without_search_path: [
    ['alter function app.touch() reset search_path', 'app.touch()'],
    [
      'alter function access.open_session(bytea, inet) set search_path = public',
      'access.open_session(token_digest bytea, client_address inet)',
    ],
    [
      `create function access.one() returns int language sql security definer return 1;
        revoke execute on function access.one() from public`,
      'access.one()',
    ],
  ],
  executable_by_everybody: [
    [
      'grant execute on function access.open_session(bytea, inet) to public',
      'access.open_session(token_digest bytea, client_address inet)',
    ],
    ['create function valuation.one() returns int language sql return 1', 'valuation.one()'],
  ],
  index_not_leading_with_studio_id: [
    [
      'create index by_name on app.items (name, studio_id)',
      'app.by_name',
      'drop index app.by_name; create index by_name on app.items (studio_id, name)',
    ],
    ['create unique index by_text on app.policies ((studio_id::text))', 'app.by_text', 'drop index app.by_text'],
    [
      'alter table app.items add constraint one_id unique (id)',
      'app.one_id',
      'alter table app.items drop constraint one_id',
    ],
  ],
  column_grant_beyond_the_list: [
    ['grant select (notes) on app.policies to studio_analyst', 'app.policies (notes)'],
    [
      `do $$ begin
          execute pg_catalog.regexp_replace(pg_catalog.pg_get_viewdef('service.item_valuations'), '^ *SELECT (.*?)\\s+FROM',
            'create or replace view service.item_valuations with (security_invoker = true) as select \\1, revalue_on from');
        end $$;
        grant select (revalue_on) on app.item_valuations to studio_api`,
      'app.item_valuations (revalue_on)',
    ],
    ['grant select on app.policy_assignments to studio_graphql', 'app.policy_assignments'],
    ['grant select (digest) on access.tokens to public', 'access.tokens (digest)'],
    ['create role studio_test_spy; grant insert on app.items to studio_test_spy', 'app.items'],
    [
      'grant select on api_v1.items to studio_api with grant option',
      'api_v1.items',
      'revoke grant option for select on api_v1.items from studio_api',
    ],
    [
      'grant update (studio_id), update (coverage_state) on app.items to studio_writer',
      ['app.items (coverage_state)', 'app.items (studio_id)'],
    ],
  ],
  member_of_two_exposed_roles: [
    [
      'create role studio_test_spy in role studio_analyst, studio_auditor',
      'role studio_test_spy',
      'revoke studio_auditor from studio_test_spy',
    ],
    ['grant studio_writer to studio_console', 'role studio_console'],
    ['grant studio_backup to studio_graphql', 'role studio_graphql', 'revoke studio_backup from studio_graphql'],
    [
      `create role studio_test_spy in role studio_owner; grant studio_test_spy to studio_analyst`,
      'role studio_analyst',
      'revoke studio_test_spy from studio_analyst',
    ],
  ],
  usage_on_app: [
    ['grant usage on schema app to studio_analyst', 'role studio_analyst'],
    ['grant create on schema app to studio_api', 'role studio_api'],
    ['grant usage on schema app to public', 'role public'],
    [
      'create role studio_test_spy in role studio_writer',
      'role studio_test_spy',
      'revoke studio_writer from studio_test_spy',
    ],
  ],
  statistics_on_a_private_column: [
    ['alter table app.items alter column name set statistics -1', 'app.items (name)'],
    ['alter table app.maintenance_records alter column cost set statistics 1', 'app.maintenance_records (cost)'],
    ['create index by_lower on app.policies (studio_id, lower(name), carrier)', 'app.by_lower (lower)'],
  ],
}
