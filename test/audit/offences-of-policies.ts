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
const policyColumns = `p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit::numeric,
  p.deductible::numeric, p.covered_perils, p.location_constraints, p.effective_start, p.effective_end,
  p.archived_at is not null as archived, true as active, p.created_at, p.updated_at`

/** Rules about row-level security: of tables, of policies, and of the views above them. */
export const offencesOfPolicies: Record<string, Offence[]> = {
  table_without_row_level_security: [
    ['alter table app.items disable row level security', 'app.items'],
    ['alter table app.policies no force row level security', 'app.policies'],
    ['create table app.new (studio_id uuid); grant select (studio_id) on app.new to studio_analyst', 'app.new'],
    ['grant select on app.categories to public', 'app.categories'],
    [
      `create materialized view api_v1.totals as select 1 as one;
        grant select on api_v1.totals to studio_graphql`,
      'api_v1.totals',
      'revoke all on api_v1.totals from studio_graphql',
    ],
    [
      `create schema other; grant usage on schema other to studio_analyst;
        create table other.copies (name text); grant delete on other.copies to studio_analyst`,
      'other.copies',
    ],
  ],
  policy_for_a_role: [
    [`alter policy ${itemsPolicy} on app.items to studio_analyst, studio_api`, [onItems]],
    [
      'alter policy "A backup has every row" on app.items to studio_backup, studio_analyst',
      ['policy "A backup has every row" on app.items'],
    ],
  ],
  policy_not_comparing_studio_id: [
    [`alter policy ${itemsPolicy} on app.items using (true)`, [onItems]],
    [`alter policy ${itemsPolicy} on app.items with check (true)`, [onItems]],
    [
      `alter policy ${itemsPolicy} on app.items using (studio_id = current_setting('studio.id', true)::uuid)`,
      [onItems],
    ],
    [`alter policy ${itemsPolicy} on app.items using (id = (select access.current_studio_id()))`, [onItems]],
    [`alter policy ${itemsPolicy} on app.items using (${ownSession} or archived_at is not null)`, [onItems]],
    [
      `create schema other;
        create function other.current_studio_id() returns uuid language sql return null::uuid;
        set local search_path = other;
        alter policy ${itemsPolicy} on app.items using (studio_id = (select other.current_studio_id()))
          with check (studio_id = (select other.current_studio_id()))`,
      [onItems],
      cureItemsPolicy,
    ],
    [
      `create schema currentaccess;
        create function currentaccess._studio_id() returns uuid language sql return null::uuid;
        alter policy ${itemsPolicy} on app.items
          using (${shownSession.replace('(select access.current_studio_id())', '(select currentaccess._studio_id() as current_studio_id)')})`,
      [onItems],
      cureItemsPolicy,
    ],
    [
      'create policy more on app.items for insert with check (true)',
      'policy more on app.items',
      'drop policy more on app.items',
    ],
  ],
  studio_hash_not_exact: [
    [
      'alter table app.item_photos drop column studio_hash cascade',
      'app.item_photos',
      `alter table app.item_photos add column studio_hash integer not null
        generated always as (uuid_hash(studio_id) >> 1) stored`,
    ],
    [
      `alter table app.locations drop column studio_hash cascade;
        alter table app.locations add column studio_hash integer not null generated always as (1) stored`,
      'app.locations',
      `alter table app.locations drop column studio_hash;
        alter table app.locations add column studio_hash integer not null
          generated always as (uuid_hash(studio_id) >> 1) stored`,
    ],
    ['alter table app.studios drop constraint studios_studio_hash_key', 'app.studios'],
  ],
  view_without_condition: [
    [
      `create or replace view api_v1.policies with (security_invoker = true) as
        select p.* from app.policies p`.replace('p.*', policyColumns),
      'api_v1.policies',
      `create or replace view api_v1.policies with (security_invoker = true) as
        select p.* from app.policies p where p.studio_id is not null`.replace('p.*', policyColumns),
    ],
    ...[
      'select p.id, (select count(*) from app.items i where i.archived_at is null) as items from app.policies p',
      'select name from only app.policies',
      'select name from (select name, carrier from app.policies) p',
      'select name from (select p.name from app.policies p join app.studios s on s.id = p.studio_id) p',
      'select name from app.policies where name is not null union all select carrier from app.policies',
      `select name, E'\\n  WHERE ' as text from app.policies`,
    ].map((query): Offence => {
      const view = `create view api_v1.more with (security_invoker = true) as ${query}`
      return [`${view}; grant select on api_v1.more to studio_graphql`, 'api_v1.more', 'drop view api_v1.more']
    }),
  ],
}
