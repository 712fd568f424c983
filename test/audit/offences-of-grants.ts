import type { Offence } from './offence.ts'

/** Rules about views, functions, indexes and privileges. */
export const offencesOfGrants: Record<string, Offence[]> = {
  view_not_invoker: [
    { title: 'has no option', offend: 'alter view api_v1.items reset (security_invoker)', objects: ['api_v1.items'] },
    { title: 'says no', offend: 'alter view api_v1.items set (security_invoker = off)', objects: ['api_v1.items'] },
    {
      title: 'is in a schema of somebody else that an exposed role can use',
      offend: `create schema other; grant usage on schema other to studio_graphql;
        create view other.leak as select * from app.items; grant select on other.leak to studio_graphql`,
      objects: ['other.leak'],
    },
  ],
  function_without_search_path: [
    {
      title: 'lost its setting',
      offend: 'alter function app.touch() reset search_path',
      objects: ['app.touch()'],
    },
    {
      title: 'has a search path with something in it',
      offend: 'alter function access.open_session(bytea, inet) set search_path = public',
      objects: ['access.open_session(token_digest bytea, client_address inet)'],
    },
    {
      title: 'has a parsed body but the rights of its owner',
      offend: `create function access.one() returns int language sql security definer return 1;
        revoke execute on function access.one() from public`,
      objects: ['access.one()'],
    },
  ],
  executable_by_everybody: [
    {
      title: 'is granted to everybody',
      offend: 'grant execute on function access.open_session(bytea, inet) to public',
      objects: ['access.open_session(token_digest bytea, client_address inet)'],
    },
    {
      title: 'has no grants at all, which means everybody',
      offend: 'create function valuation.one() returns int language sql return 1',
      objects: ['valuation.one()'],
    },
  ],
  index_not_leading_with_studio_id: [
    {
      title: 'leads with another column',
      offend: 'create index by_name on app.items (name, studio_id)',
      objects: ['app.by_name'],
      cure: 'drop index app.by_name; create index by_name on app.items (studio_id, name)',
    },
    {
      title: 'leads with an expression',
      offend: 'create unique index by_text on app.policies ((studio_id::text))',
      objects: ['app.by_text'],
      cure: 'drop index app.by_text',
    },
    {
      title: 'belongs to a constraint',
      offend: 'alter table app.items add constraint one_id unique (id)',
      objects: ['app.one_id'],
      cure: 'alter table app.items drop constraint one_id',
    },
  ],
  column_grant_beyond_the_list: [
    {
      title: 'shows a hidden column',
      offend: 'grant select (notes) on app.policies to studio_analyst',
      objects: ['app.policies (notes)'],
    },
    {
      title: 'is on a hidden column that a view reads',
      offend: `do $$ begin
          execute pg_catalog.regexp_replace(pg_catalog.pg_get_viewdef('service.item_valuations'), '^ *SELECT (.*?)\\s+FROM',
            'create or replace view service.item_valuations with (security_invoker = true) as select \\1, revalue_on from');
        end $$;
        grant select (revalue_on) on app.item_valuations to studio_api`,
      objects: ['app.item_valuations (revalue_on)'],
    },
    {
      title: 'is on a whole table',
      offend: 'grant select on app.policy_assignments to studio_graphql',
      objects: ['app.policy_assignments'],
    },
    {
      title: 'is to everybody',
      offend: 'grant select (digest) on access.tokens to public',
      objects: ['access.tokens (digest)'],
    },
    {
      title: 'is to one login past its group',
      offend: 'create role studio_test_offender; grant insert on app.items to studio_test_offender',
      objects: ['app.items'],
    },
    {
      title: 'may be passed on',
      offend: 'grant select on api_v1.items to studio_api with grant option',
      objects: ['api_v1.items'],
      cure: 'revoke grant option for select on api_v1.items from studio_api',
    },
    {
      title: 'lets the writer write a column that the database keeps itself',
      offend: 'grant update (studio_id), update (coverage_state) on app.items to studio_writer',
      objects: ['app.items (coverage_state)', 'app.items (studio_id)'],
    },
  ],
  member_of_two_exposed_roles: [
    {
      title: 'is a login of two groups',
      offend: 'create role studio_test_offender in role studio_analyst, studio_auditor',
      objects: ['role studio_test_offender'],
      cure: 'revoke studio_auditor from studio_test_offender',
    },
    {
      title: 'is an exposed role in another',
      offend: 'grant studio_writer to studio_console',
      objects: ['role studio_console'],
    },
    {
      title: 'is an exposed role that can act as the owner by way of another role',
      offend: `create role studio_test_offender in role studio_owner; grant studio_test_offender to studio_analyst`,
      objects: ['role studio_analyst'],
      cure: 'revoke studio_test_offender from studio_analyst',
    },
  ],
  usage_on_app: [
    { title: 'is granted', offend: 'grant usage on schema app to studio_analyst', objects: ['role studio_analyst'] },
    {
      title: 'is the right to create',
      offend: 'grant create on schema app to studio_api',
      objects: ['role studio_api'],
    },
    { title: 'is everybody’s', offend: 'grant usage on schema app to public', objects: ['role public'] },
    {
      title: 'comes by membership',
      offend: 'create role studio_test_offender in role studio_writer',
      objects: ['role studio_test_offender'],
      cure: 'revoke studio_writer from studio_test_offender',
    },
  ],
  statistics_on_a_private_column: [
    {
      title: 'are the default',
      offend: 'alter table app.items alter column name set statistics -1',
      objects: ['app.items (name)'],
    },
    {
      title: 'are few',
      offend: 'alter table app.maintenance_records alter column cost set statistics 1',
      objects: ['app.maintenance_records (cost)'],
    },
    {
      title: 'are those of an expression in an index',
      offend: 'create index by_lower on app.policies (studio_id, lower(name), carrier)',
      objects: ['app.by_lower (lower)'],
    },
  ],
}
