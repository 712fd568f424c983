import type { Offence } from './offence.ts'

const itemsPolicy = `"A studio's items are seen and written by that studio alone"`
const ownSession = '(studio_id = (select access.current_studio_id()))'
const shownSession = `(studio_id = (select access.current_studio_id())
  and ((select session_user in ('studio_api', 'studio_writer'))
    or (select access.current_studio_mask())[studio_hash]))`
const cureItemsPolicy = `alter policy ${itemsPolicy} on app.items to public
  using ${shownSession} with check ${ownSession}`
const onItems = `policy ${itemsPolicy} on app.items`

/** The columns of api_v1.policies, in their order and of their types. */
const policyColumns = `p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit::numeric(14,2),
  p.deductible::numeric(14,2), p.covered_perils, p.location_constraints, p.effective_start, p.effective_end,
  p.archived_at is not null as archived, true as active, p.created_at, p.updated_at`

/** Rules about row-level security: of tables, of policies, and of the views above them. */
export const offencesOfPolicies: Record<string, Offence[]> = {
  table_without_row_level_security: [
    { title: 'is disabled', offend: 'alter table app.items disable row level security', objects: ['app.items'] },
    {
      title: 'is not forced',
      offend: 'alter table app.policies no force row level security',
      objects: ['app.policies'],
    },
    {
      title: 'is missing on a new table of which one column is granted',
      offend: 'create table app.new (studio_id uuid); grant select (studio_id) on app.new to studio_analyst',
      objects: ['app.new'],
    },
    {
      title: 'is not forced on a table that is granted to everybody',
      offend: 'grant select on app.categories to public',
      objects: ['app.categories'],
    },
    {
      title: 'is impossible on a materialised view',
      offend: `create materialized view api_v1.totals as select 1 as one;
        grant select on api_v1.totals to studio_graphql`,
      objects: ['api_v1.totals'],
      cure: 'revoke all on api_v1.totals from studio_graphql',
    },
    {
      title: 'is missing in a schema of somebody else',
      offend: `create schema other; grant usage on schema other to studio_analyst;
        create table other.copies (name text); grant delete on other.copies to studio_analyst`,
      objects: ['other.copies'],
    },
  ],
  policy_for_a_role: [
    {
      title: 'is to a role',
      offend: `alter policy ${itemsPolicy} on app.items to studio_analyst, studio_api`,
      objects: [onItems],
    },
  ],
  policy_not_comparing_studio_id: [
    { title: 'shows every row', offend: `alter policy ${itemsPolicy} on app.items using (true)`, objects: [onItems] },
    {
      title: 'takes every row',
      offend: `alter policy ${itemsPolicy} on app.items with check (true)`,
      objects: [onItems],
    },
    {
      title: 'compares with a setting',
      offend: `alter policy ${itemsPolicy} on app.items using (studio_id = current_setting('studio.id', true)::uuid)`,
      objects: [onItems],
    },
    {
      title: 'compares another column',
      offend: `alter policy ${itemsPolicy} on app.items using (id = (select access.current_studio_id()))`,
      objects: [onItems],
    },
    {
      title: 'has an alternative',
      offend: `alter policy ${itemsPolicy} on app.items using (${ownSession} or archived_at is not null)`,
      objects: [onItems],
    },
    {
      title: 'asks a function of the same name',
      offend: `create schema other;
        create function other.current_studio_id() returns uuid language sql return null::uuid;
        set local search_path = other;
        alter policy ${itemsPolicy} on app.items using (studio_id = (select other.current_studio_id()))
          with check (studio_id = (select other.current_studio_id()))`,
      objects: [onItems],
      cure: cureItemsPolicy,
    },
    {
      title: 'asks a function whose name looks the same when it is printed',
      offend: `create schema currentaccess;
        create function currentaccess._studio_id() returns uuid language sql return null::uuid;
        alter policy ${itemsPolicy} on app.items
          using (${shownSession.replace('(select access.current_studio_id())', '(select currentaccess._studio_id() as current_studio_id)')})`,
      objects: [onItems],
      cure: cureItemsPolicy,
    },
    {
      title: 'adds to another one',
      offend: 'create policy more on app.items for insert with check (true)',
      objects: ['policy more on app.items'],
      cure: 'drop policy more on app.items',
    },
  ],
  studio_hash_not_exact: [
    {
      title: 'is missing on a table',
      offend: 'alter table app.item_photos drop column studio_hash cascade',
      objects: ['app.item_photos'],
      cure: `alter table app.item_photos add column studio_hash integer not null
        generated always as (uuid_hash(studio_id) >> 1) stored`,
    },
    {
      title: 'is the same for all studios',
      offend: `alter table app.locations drop column studio_hash cascade;
        alter table app.locations add column studio_hash integer not null generated always as (1) stored`,
      objects: ['app.locations'],
      cure: `alter table app.locations drop column studio_hash;
        alter table app.locations add column studio_hash integer not null
          generated always as (uuid_hash(studio_id) >> 1) stored`,
    },
    {
      title: 'may be that of two studios',
      offend: 'alter table app.studios drop constraint studios_studio_hash_key',
      objects: ['app.studios'],
    },
  ],
  view_without_condition: [
    {
      title: 'lost the one it had',
      offend: `create or replace view api_v1.policies with (security_invoker = true) as
        select p.* from app.policies p`.replace('p.*', policyColumns),
      objects: ['api_v1.policies'],
      cure: `create or replace view api_v1.policies with (security_invoker = true) as
        select p.* from app.policies p where p.studio_id is not null`.replace('p.*', policyColumns),
    },
    ...Object.entries({
      'has one only inside of another query':
        'select p.id, (select count(*) from app.items i where i.archived_at is null) as items from app.policies p',
      'reads ONLY the table': 'select name from only app.policies',
      'reads a sub-select': 'select name from (select name, carrier from app.policies) p',
      'is a UNION ALL of which one arm has none':
        'select name from app.policies where name is not null union all select carrier from app.policies',
      'has one in a text': `select name, E'\\n  WHERE ' as text from app.policies`,
    }).map(([title, query]) => ({
      title,
      offend: `create view api_v1.more with (security_invoker = true) as ${query};
        grant select on api_v1.more to studio_graphql`,
      objects: ['api_v1.more'],
      cure: 'drop view api_v1.more',
    })),
  ],
}
