--! Previous: sha1:5b4fcc222c44304101cea50257db6189bd83211b
--! Hash: sha1:3dbdc5f12c4eff0dc36d8a451cdc32a726e22e73
--! Message: place the policies first

-- No condition of a reader's is evaluated on a row of another studio. studio_hash lets the policies compare the studio
-- at no cost, so that the planner places this comparison first; it is unique among studios. The tables are rewritten.
-- Readers' sums may use parallel workers.

set local role studio_owner;

-- On PostgreSQL 15 a table gets no generated column while a function with a standard body takes its rows.
drop function valuation.same_inputs(app.items, app.items);
drop function access.data_version(app.studios);

alter table app.studios
  add column studio_hash integer not null generated always as (pg_catalog.uuid_hash(id) >> 1) stored,
  add constraint studios_studio_hash_key unique (studio_hash);

do $$
declare
  name text;
begin
  foreach name in array array['locations', 'items', 'item_photos', 'item_valuations', 'item_counts', 'market_values',
    'maintenance_records', 'maintenance_counts', 'policies', 'policy_assignments'] loop
    execute format(
      'alter table app.%I add column studio_hash integer not null '
      'generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored, alter column studio_hash set statistics 0', name);
  end loop;
end
$$;

-- What is answered from an index alone finds studio_hash there too.
drop index app.items_by_update, app.items_by_category, app.items_by_coverage, app.items_by_category_and_coverage,
  app.maintenance_by_update, app.maintenance_by_status, app.maintenance_by_item, app.policies_by_start,
  app.locations_by_update, app.policy_assignments_by_policy;
create index items_by_update on app.items (studio_id, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_category on app.items (studio_id, category, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_coverage on app.items (studio_id, coverage_state, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_category_and_coverage on app.items (studio_id, category, coverage_state, updated_at desc, id desc)
  include (studio_hash) where archived_at is null;
create index maintenance_by_update on app.maintenance_records (studio_id, updated_at desc, id desc)
  include (studio_hash) where not item_archived;
create index maintenance_by_status on app.maintenance_records (studio_id, status, updated_at desc, id desc)
  include (studio_hash) where not item_archived;
create index maintenance_by_item on app.maintenance_records (studio_id, item_id, updated_at desc, id desc)
  include (studio_hash);
create index policies_by_start on app.policies (studio_id, effective_start desc, id desc) include (studio_hash)
  where archived_at is null;
create index locations_by_update on app.locations (studio_id, updated_at desc, id desc) include (studio_hash);
create index policy_assignments_by_policy on app.policy_assignments (studio_id, policy_id) include (studio_hash);

--! Included access/functions/current_studio_id.sql
-- The studio that this session may see; null when there is none. Every row-level-security policy compares with it.
--
-- Keyed on session_user, which no SET can change: the service's own pool logins are believed when they name a studio
-- in the setting studio.id, and so are administrators, who could become the owner anyway. Everybody else is an analyst,
-- whose studio stands in access.analyst_logins whatever the setting says. A setting that is missing, empty or no uuid
-- gives null (no rows), never an error.
-- spec: "A caller never sees another studio's data."
create or replace function access.current_studio_id() returns uuid
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  setting text;
begin
  if session_user in ('studio_api', 'studio_writer', 'studio_console', 'studio_graphql')
     or pg_catalog.pg_has_role(session_user, 'studio_owner', 'member') then
    setting := pg_catalog.current_setting('studio.id', true);
    -- Eight, four, four, four and twelve hexadecimal digits; a regular expression would take four times as long.
    if setting like '________-____-____-____-____________'
       and pg_catalog.translate(setting, '0123456789abcdef', '') = '----' then
      return setting::uuid;
    end if;
    return null;
  end if;
  return (select l.studio_id from access.analyst_logins l where l.login = session_user);
end
$$;

comment on function access.current_studio_id() is
  'The studio that this session may see, by its login; null when there is none.';
--! EndIncluded access/functions/current_studio_id.sql
--! Included access/functions/current_studio_mask.sql
-- The studio that this session may see, in the form that policies compare at no cost: an array with one element, true,
-- at the subscript that is the studio's studio_hash. Null when there is no studio, and then every element of it is null.
create or replace function access.current_studio_mask() returns boolean[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if studio is null then
    return null;
  end if;
  return pg_catalog.array_fill(true, array[1], array[pg_catalog.uuid_hash(studio) >> 1]);
end
$$;

comment on function access.current_studio_mask() is
  'The session''s studio as an array: true at the subscript that is its studio_hash; null when there is none.';
--! EndIncluded access/functions/current_studio_mask.sql
--! Included access/functions/create_studio.sql
-- Creates a studio with its default location, its owner (a new user when the e-mail is new) and an active subscription.
-- Returns the studio's id. Raises 22023 for an unknown time zone; the tables' checks refuse the rest.
create or replace function access.create_studio(
  name text, owner_email text, owner_name text,
  plan text default 'studio', timezone text default 'UTC', currency text default 'EUR'
) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  outer_studio text := pg_catalog.current_setting('studio.id', true);
begin
  -- studio_hash is unique, so that the policies can place a comparison of it before everything else. An id whose hash is
  -- taken (of a million studios, one in two thousand meets one) is tried again.
  while studio is null loop
    insert into app.studios as s (name, timezone, currency)
    values (create_studio.name, create_studio.timezone, create_studio.currency)
    on conflict (studio_hash) do nothing
    returning s.id into studio;
  end loop;
  insert into access.subscriptions (studio_id, plan, status, current_period_start, current_period_end)
  values (studio, create_studio.plan, 'active', pg_catalog.now(), pg_catalog.now() + interval '1 month');
  perform access.add_member(studio, owner_email, owner_name, 'owner');

  perform access.enter_studio(studio);
  insert into app.locations (studio_id, name, is_default) values (studio, create_studio.name, true);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return studio;
end
$$;

comment on function access.create_studio(text, text, text, text, text, text) is
  'Creates a studio with its owner, an active subscription and its default location; returns its id.';
--! EndIncluded access/functions/create_studio.sql
--! Included access/functions/data_version.sql
-- What the answers for a studio depend on besides the question, as a text: the studio, its data version, today's date there.
-- Two answers to one question that have the same version are the same.
create or replace function access.data_version(studio app.studios) returns text
language sql stable security invoker
return studio.id || '/'
  || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = studio.id), 0) || '/'
  || (access.clock() at time zone studio.timezone)::date;

comment on function access.data_version(app.studios) is 'The version of everything the API may answer for a studio.';
--! EndIncluded access/functions/data_version.sql
--! Included valuation/functions/same_inputs.sql
-- Whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return (
  before.category, before.purchase_price, before.acquisition_date, before.depreciation_method,
  before.useful_life_months, before.residual_value, before.manual_value, before.replacement_cost,
  before.reported_insured_value, before.market_value
) is not distinct from (
  after.category, after.purchase_price, after.acquisition_date, after.depreciation_method,
  after.useful_life_months, after.residual_value, after.manual_value, after.replacement_cost,
  after.reported_insured_value, after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
--! EndIncluded valuation/functions/same_inputs.sql
--! Included app/functions/touch.sql
-- Trigger: updated_at strictly increases with every change of the row and stays when nothing changes.
-- spec: "incremental sync with updated_since".
create or replace function app.touch() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- What PostgreSQL generates it computes after this, so that it would look changed.
  new.studio_hash := old.studio_hash;
  if new is distinct from old then
    new.updated_at := greatest(
      pg_catalog.clock_timestamp()::timestamptz(3), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
--! EndIncluded app/functions/touch.sql
--! Included app/functions/count_items.sql
-- Trigger: keeps the number of live items per studio, category and coverage state ('*' is all; an item without a
-- coverage state counts in its category and in all), in the slot that the data version has moved in (see
-- app.free_slot()); a total is the sum of its slots.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  differences app.item_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*, null)::app.item_counts) into differences from (
      select c.studio_id, c.category, coalesce(c.coverage_state, ''), 0::smallint, count(*)
      from changed c where c.archived_at is null group by 1, 2, 3
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*, null)::app.item_counts) into differences from (
      select b.studio_id, b.category, coalesce(b.coverage_state, ''), 0::smallint, -count(*)
      from before b where b.archived_at is null group by 1, 2, 3
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*, null)::app.item_counts) into differences from (
      select u.studio_id, u.category, coalesce(u.coverage_state, ''), 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
        union all
        select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
      ) as u
      group by 1, 2, 3 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.item_counts as held (studio_id, category, coverage_state, slot, items)
  select d.studio_id, coalesce(d.category, '*'), coalesce(d.coverage_state, '*'), own_slot, sum(d.items)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.category), (d.studio_id, d.coverage_state),
    (d.studio_id, d.category, d.coverage_state))
  having (grouping(d.coverage_state) = 1 or d.coverage_state <> '') and sum(d.items) <> 0
  order by 1, 2, 3
  on conflict (studio_id, category, coverage_state, slot) do update set items = held.items + excluded.items;
  return null;
end
$$;

comment on function app.count_items() is 'Trigger of app.items: keeps the numbers of live items.';
--! EndIncluded app/functions/count_items.sql
--! Included app/functions/count_maintenance.sql
-- Trigger: keeps the number of maintenance records of live items per studio and status ('*' is all), in slots like
-- app.count_items().
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  differences app.maintenance_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*, null)::app.maintenance_counts) into differences from (
      select c.studio_id, c.status, 0::smallint, count(*) from changed c where not c.item_archived group by 1, 2
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*, null)::app.maintenance_counts) into differences from (
      select b.studio_id, b.status, 0::smallint, -count(*) from before b where not b.item_archived group by 1, 2
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*, null)::app.maintenance_counts) into differences from (
      select u.studio_id, u.status, 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
        union all
        select b.studio_id, b.status, -1 from before b where not b.item_archived
      ) as u
      group by 1, 2 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.maintenance_counts as held (studio_id, status, slot, records)
  select d.studio_id, coalesce(d.status, '*'), own_slot, sum(d.records)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.status))
  having sum(d.records) <> 0
  order by 1, 2
  on conflict (studio_id, status, slot) do update set records = held.records + excluded.records;
  return null;
end
$$;

comment on function app.count_maintenance() is 'Trigger of app.maintenance_records: keeps the numbers of records.';
--! EndIncluded app/functions/count_maintenance.sql
--! Included app/policies/locations.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's locations are seen and written by that studio alone" on app.locations;
create policy "A studio's locations are seen and written by that studio alone" on app.locations
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/locations.sql
--! Included app/policies/items.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's items are seen and written by that studio alone" on app.items;
create policy "A studio's items are seen and written by that studio alone" on app.items
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/items.sql
--! Included app/policies/item_photos.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's item photos are seen and written by that studio alone" on app.item_photos;
create policy "A studio's item photos are seen and written by that studio alone" on app.item_photos
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_photos.sql
--! Included app/policies/item_valuations.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's item valuations are seen and written by that studio alone" on app.item_valuations;
create policy "A studio's item valuations are seen and written by that studio alone" on app.item_valuations
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_valuations.sql
--! Included app/policies/item_counts.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's item counts are seen and written by that studio alone" on app.item_counts;
create policy "A studio's item counts are seen and written by that studio alone" on app.item_counts
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_counts.sql
--! Included app/policies/market_values.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's market values are seen and written by that studio alone" on app.market_values;
create policy "A studio's market values are seen and written by that studio alone" on app.market_values
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/market_values.sql
--! Included app/policies/maintenance_records.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's maintenance records are seen and written by it alone" on app.maintenance_records;
create policy "A studio's maintenance records are seen and written by it alone" on app.maintenance_records
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/maintenance_records.sql
--! Included app/policies/maintenance_counts.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's maintenance counts are seen and written by it alone" on app.maintenance_counts;
create policy "A studio's maintenance counts are seen and written by it alone" on app.maintenance_counts
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/maintenance_counts.sql
--! Included app/policies/policies.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's policies are seen and written by that studio alone" on app.policies;
create policy "A studio's policies are seen and written by that studio alone" on app.policies
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/policies.sql
--! Included app/policies/policy_assignments.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md).
drop policy if exists "A studio's policy assignments are seen and written by it alone" on app.policy_assignments;
create policy "A studio's policy assignments are seen and written by it alone" on app.policy_assignments
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/policy_assignments.sql
--! Included api_v1/views/policies.sql
-- Every policy of the studio, with whether it is active today on the studio's own calendar. The columns that are never
-- returned (owner_user_id, source_document_id, notes, studio_id) are not here and not granted.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and effective_end (if set)
-- has not passed"; policy_type — "Null when the stored value is not a recognised type."
--
-- The condition is always true and is there so that there is one: a view without any becomes a part of a reader's UNION
-- ALL, and there the planner places the reader's conditions before those of the policy (docs/row-level-security.md).
create or replace view api_v1.policies with (security_invoker = true) as
select
  p.id, p.name, p.carrier, p.policy_number,
  case when p.policy_type in ('studio_property', 'equipment_floater', 'touring_rider', 'vehicle_transit', 'liability',
    'umbrella', 'other') then p.policy_type end as policy_type,
  p.overall_limit::numeric(14,2) as overall_limit, p.deductible::numeric(14,2) as deductible,
  p.covered_perils, p.location_constraints, p.effective_start, p.effective_end,
  p.archived_at is not null as archived,
  p.archived_at is null and p.effective_start is not null
    and p.effective_start <= (select access.current_studio_today())
    and (p.effective_end is null or p.effective_end >= (select access.current_studio_today())) as active,
  p.created_at, p.updated_at
from app.policies p
where p.studio_id is not null;

comment on view api_v1.policies is 'The studio''s insurance policies, archived and expired ones included.';
comment on column api_v1.policies.id is 'Unique policy id: the key of this view.';
comment on column api_v1.policies.name is 'Name of the policy.';
comment on column api_v1.policies.carrier is 'Insurance carrier; null when not recorded.';
comment on column api_v1.policies.policy_number is 'The carrier''s number; null when not recorded.';
comment on column api_v1.policies.policy_type is
  'studio_property, equipment_floater, touring_rider, vehicle_transit, liability, umbrella or other; else null.';
comment on column api_v1.policies.overall_limit is 'Overall limit in the studio''s currency; null when not set.';
comment on column api_v1.policies.deductible is 'Deductible in the studio''s currency; null when not set.';
comment on column api_v1.policies.covered_perils is 'Perils covered; null when not recorded.';
comment on column api_v1.policies.location_constraints is 'Free text; null when not set.';
comment on column api_v1.policies.effective_start is 'When coverage begins; null when not set.';
comment on column api_v1.policies.effective_end is 'Last day of coverage; null for an open-ended policy.';
comment on column api_v1.policies.archived is 'Whether the policy is archived.';
comment on column api_v1.policies.active is 'Whether the policy is active today on the studio''s calendar.';
comment on column api_v1.policies.created_at is 'When the policy was recorded.';
comment on column api_v1.policies.updated_at is 'When anything shown of the policy last changed.';
--! EndIncluded api_v1/views/policies.sql
--! Included access/functions/watch_analysts.sql
-- The watchdog: ends what analysts may not do but could, since most settings are theirs to change. Called by the service
-- every few seconds; calling it from several processes at once does no harm. Returns what it ended, and why.
--   a statement longer than its login's limit is cancelled, and its session ended when that does not help: a session that
--   waits for a client who does not read is deaf to a cancel
--   a transaction that is idle for as long, or ten times as old, keeps locks and old row versions: its session is ended
--   a transaction that holds a transaction id (ALTER ROLE of oneself takes one) delays what others may take for final: its
--   session is ended after ten seconds
--   nobody stays whose login is mapped to no studio, has passed its end, or has strayed to another database of the server
-- It sees members of studio_analyst alone, and needs what grants/studio_owner.sql gives to the owner. Raises 42501 without.
create or replace function access.watch_analysts() returns table (login name, pid integer, action text, reason text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  grace constant interval := interval '10 seconds';
begin
  if not (pg_catalog.pg_has_role('pg_signal_backend', 'usage') and pg_catalog.pg_has_role('pg_read_all_stats', 'usage')) then
    raise exception 'studio_owner may not see and end the sessions of analysts' using errcode = '42501',
      hint = 'As a superuser: grant pg_signal_backend, pg_read_all_stats to studio_owner';
  end if;

  for login, pid, action, reason in
    select
      judged.login, judged.pid, case judged.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      judged.reason
    from (
      select
        s.login, s.pid,
        case
          when s.studio_id is null then 'its login is mapped to no studio'
          when s.elsewhere then 'it is connected to another database'
          when s.expired then 'its login has expired'
          when s.holds_id and s.transaction > grace then 'its transaction holds a transaction id'
          when s.transaction > 10 * s.statement_limit then 'its transaction is too old'
          when s.idle > s.statement_limit then 'its transaction is idle for too long'
          when s.statement > s.statement_limit + least(s.statement_limit, grace) then 'its statement went on after it was cancelled'
          when s.statement > s.statement_limit then 'its statement runs too long'
        end as reason
      from (
        select
          a.usename as login, a.pid, l.studio_id, l.statement_limit,
          a.datname is distinct from pg_catalog.current_database() as elsewhere,
          coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
          pg_catalog.clock_timestamp() - a.xact_start as transaction,
          a.backend_xid is not null as holds_id,
          case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
          case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement
        from pg_catalog.pg_stat_activity a
        join pg_catalog.pg_roles r on r.oid = a.usesysid
        left join access.analyst_logins l on l.login = a.usename
        where a.backend_type = 'client backend'
          and not r.rolsuper
          and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
          and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
          -- In another database, only our own: the others are that database's analysts.
          and (a.datname = pg_catalog.current_database() or l.login is not null)
      ) as s
    ) as judged
    where judged.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    return next;
  end loop;
end
$$;

comment on function access.watch_analysts() is
  'Ends statements and sessions of analysts that go beyond their limits; returns which, and why.';
--! EndIncluded access/functions/watch_analysts.sql
--! Included audit/views/closed_functions.sql
-- Functions of the server that everybody may call in a new database, and nobody outside may call here: closed by
-- grants/database.sql, watched by audit.catalog_function_open. `observes` are those that tell what other sessions do; who
-- watches the server (pg_read_all_stats) keeps them.
create or replace view audit.closed_functions with (security_invoker = true) as
select
  p.oid as function, p.proname as name,
  pg_catalog.format('pg_catalog.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as signature,
  closed.observes,
  closed.why
from (values
  ('^(lo_|loread$|lowrite$)', false, 'Large objects are rows outside row-level security.'),
  ('^pg_(try_)?advisory_', false, 'An advisory lock holds up others.'),
  ('^pg_sleep', false, 'A sleep keeps a connection for nothing.'),
  ('^(pg_notify|pg_logical_emit_message)$', false, 'Messages reach other sessions and fill the disk.'),
  ('^pg_export_snapshot$', false, 'A snapshot is a file on the server, and holds back the removal of old rows.'),
  ('^(pg_current_xact_id|txid_current)$', false, 'A transaction id that is held delays what others may take for final.'),
  -- A count of rows stays: tools ask for it, and pg_class.reltuples tells it anyway.
  ('^pg_stat_get_(?!live_tuples$)', true, 'Statistics tell when another studio''s request came, and by which filter.'),
  ('^(pg_lock_status|pg_prepared_xact|pg_blocking_pids|pg_safe_snapshot_blocking_pids)$', true,
    'Locks tell what other sessions do at this moment.'),
  ('^pg_(current_wal_|last_|control_|get_replication_slots$|walfile_name|xact_commit_timestamp)', true,
    'Positions in the log tell how much others write, and when.')
) as closed (pattern, observes, why)
join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ closed.pattern;

comment on view audit.closed_functions is 'Functions of the server that nobody outside may call here.';
--! EndIncluded audit/views/closed_functions.sql
--! Included audit/rules/catalog_function_open.sql
-- Functions of the server that are no use to a reader and of use to an attacker, and that an exposed role may call.
create or replace view audit.catalog_function_open with (security_invoker = true) as
select
  'catalog_function_open' as rule,
  'error' as level,
  pg_catalog.format('pg_catalog.%I', f.name) as object,
  'may be called by ' || f.grantee as finding,
  f.why,
  pg_catalog.format('revoke execute on function %s from %s;', f.signatures, f.grantee) as remedy
from (
  select
    c.name, c.why,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee,
    pg_catalog.string_agg(c.signature, ', ' order by c.function) as signatures
  from audit.closed_functions c
  join pg_catalog.pg_proc p on p.oid = c.function
  cross join lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as a
  where a.privilege_type = 'EXECUTE'
    and (a.grantee = 0 or a.grantee in (select x.role from audit.outsiders x))
  group by c.name, c.why, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Functions of the server that are closed here and that an exposed role may call.';
--! EndIncluded audit/rules/catalog_function_open.sql
--! Included audit/rules/policy_not_comparing_studio_id.sql
-- Permissive policies that let a row pass by anything else than its studio. Judged by the expression as the server
-- prints it and by the functions it depends on, so that others of the same names do not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'A row is its studio''s alone: a policy that compares anything else, or the right column with anything else, shows '
    'or takes rows of other studios.' as why,
  pg_catalog.format('alter policy %I on %I.%I using (studio_id = (select access.current_studio_id()) and '
    '((select session_user in (''studio_api'', ''studio_writer'')) or '
    '(select access.current_studio_mask())[studio_hash])) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'access.', '') as visible,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), 'access.', '') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(( SELECT current_studio_mask() AS current_studio_mask))[studio_hash]))' as shown,
    '(studio_id = ( SELECT current_studio_id() AS current_studio_id))' as taken
  from pg_catalog.pg_policy p
  where p.polpermissive
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- Without its own check, a policy for writes takes what it shows.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   or exists (
     select
     from (values ('current_studio_id'), ('current_studio_mask')) as needed (name)
     where (needed.name = 'current_studio_id' or p.polcmd <> 'a')
       and not exists (
         select
         from pg_catalog.pg_depend d
         join pg_catalog.pg_proc f on f.oid = d.refobjid
         join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
         where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
           and d.refclassid = 'pg_catalog.pg_proc'::regclass
           and fn.nspname = 'access' and f.proname = needed.name));

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
--! EndIncluded audit/rules/policy_not_comparing_studio_id.sql
--! Included audit/rules/studio_hash_not_exact.sql
-- Tables with row-level security within reach, and app.studios, in which studio_hash does not stand for exactly one studio:
-- it is missing, made from something else, or may be that of two studios.
create or replace view audit.studio_hash_not_exact with (security_invoker = true) as
select
  'studio_hash_not_exact' as rule,
  'error' as level,
  t.name as object,
  case
    when t.made is null then 'has no generated column studio_hash'
    when t.made <> t.expected then 'makes studio_hash from ' || t.made
    else 'takes two studios with one studio_hash'
  end as finding,
  'The policies let a row come before a reader''s conditions when its studio_hash is the session''s studio''s: when two '
    'studios share one, EXPLAIN ANALYZE and time tell what the other has.' as why,
  case
    when t.made = t.expected then pg_catalog.format('alter table %s add unique (studio_hash);', t.name)
    else pg_catalog.format('Make the column anew: alter table %s add column studio_hash integer not null '
      'generated always as %s stored;', t.name, t.expected)
  end as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.oid as relation,
    n.nspname = 'app' and c.relname = 'studios' as is_studios,
    case when n.nspname = 'app' and c.relname = 'studios' then '(uuid_hash(id) >> 1)'
      else '(uuid_hash(studio_id) >> 1)' end as expected,
    (select pg_catalog.pg_get_expr(d.adbin, d.adrelid)
     from pg_catalog.pg_attribute a
     join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attname = 'studio_hash' and a.attgenerated = 's') as made
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (n.nspname = 'app' and c.relname = 'studios')
     or c.oid in (select e.relation from audit.exposed_tables e where e.enabled)
        and exists (
          select from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attname = 'studio_id' and not a.attisdropped)
) as t
where t.made is distinct from t.expected
   or t.is_studios and not exists (
     select from pg_catalog.pg_index i
     join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attname = 'studio_hash'
     where i.indrelid = t.relation and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
       and i.indnkeyatts = 1 and i.indkey[0] = a.attnum);

comment on view audit.studio_hash_not_exact is 'Tables in which studio_hash does not stand for exactly one studio.';
--! EndIncluded audit/rules/studio_hash_not_exact.sql
--! Included audit/rules/view_without_condition.sql
-- Views within reach that read one table with row-level security and say neither WHERE nor JOIN. In a reader's UNION ALL the
-- planner takes the table itself for the view, and appends the policy's conditions to those that the reader wrote.
create or replace view audit.view_without_condition with (security_invoker = true) as
select
  'view_without_condition' as rule,
  'error' as level,
  v.name as object,
  'reads ' || v.source || ' without a condition' as finding,
  'In a UNION ALL the conditions that a reader adds come before those of the policy, on rows of every studio: EXPLAIN '
    'ANALYZE and time tell what others have.' as why,
  'Add a condition to it; one that is always true will do: where studio_id is not null.' as remedy
from (
  select distinct
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    pg_catalog.format('%I.%I', tn.nspname, t.relname) as source,
    pg_catalog.pg_get_viewdef(c.oid, true) as definition
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
  join pg_catalog.pg_class t on t.oid = d.refobjid and t.relrowsecurity
  join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
  where c.relkind = 'v'
    and exists (
      select from audit.exposed_roles e
      where e.name not in ('studio_api', 'studio_writer') -- whose statements are the service's own
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT'))
) as v
-- Pretty-printed, what belongs to the view itself is indented less than what belongs to a query inside of it.
where v.definition !~ '\n  WHERE ' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
  and v.definition ~ ('\n   FROM ' || pg_catalog.regexp_replace(v.source, '\W', '\\\&', 'g') || '\M');

comment on view audit.view_without_condition is
  'Views of one table that become part of a reader''s UNION ALL.';
--! EndIncluded audit/rules/view_without_condition.sql
--! Included audit/views/findings.sql
-- What all rules find; nothing in a sound database. A rule is a view of its own with these columns: which rule, how bad
-- (error: another studio's data is or may come within reach; warning: something else that should not stay), on what,
-- what is wrong, why it matters, how to mend it.
create or replace view audit.findings with (security_invoker = true) as
select rule, level, object, finding, why, remedy from audit.table_without_row_level_security
union all
select rule, level, object, finding, why, remedy from audit.policy_for_a_role
union all
select rule, level, object, finding, why, remedy from audit.policy_not_comparing_studio_id
union all
select rule, level, object, finding, why, remedy from audit.studio_hash_not_exact
union all
select rule, level, object, finding, why, remedy from audit.view_without_condition
union all
select rule, level, object, finding, why, remedy from audit.permissive_policies_that_add_up
union all
select rule, level, object, finding, why, remedy from audit.view_not_invoker
union all
select rule, level, object, finding, why, remedy from audit.wrong_owner
union all
select rule, level, object, finding, why, remedy from audit.function_without_search_path
union all
select rule, level, object, finding, why, remedy from audit.executable_by_everybody
union all
select rule, level, object, finding, why, remedy from audit.catalog_function_open
union all
select rule, level, object, finding, why, remedy from audit.language_usage
union all
select rule, level, object, finding, why, remedy from audit.temporary_or_create
union all
select rule, level, object, finding, why, remedy from audit.column_grant_beyond_the_list
union all
select rule, level, object, finding, why, remedy from audit.usage_on_app
union all
select rule, level, object, finding, why, remedy from audit.member_of_two_exposed_roles
union all
select rule, level, object, finding, why, remedy from audit.dangerous_membership
union all
select rule, level, object, finding, why, remedy from audit.exposed_role_with_powers
union all
select rule, level, object, finding, why, remedy from audit.login_without_limits
union all
select rule, level, object, finding, why, remedy from audit.index_not_leading_with_studio_id
union all
select rule, level, object, finding, why, remedy from audit.statistics_on_a_private_column
union all
select rule, level, object, finding, why, remedy from audit.extended_statistics
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_across_studios
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_without_index
union all
select rule, level, object, finding, why, remedy from audit.setting_with_a_secret
union all
select rule, level, object, finding, why, remedy from audit.server_below_safe_version;

comment on view audit.findings is 'What all rules of the audit find; no row in a sound database.';
--! EndIncluded audit/views/findings.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;
--! EndIncluded grants/studio_auditor.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.get_policy, api_v1.get_account, api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.judge_all, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_writer.sql
-- The app's and the importer's writes, for one studio at a time, under row-level security. Columns that the database
-- keeps itself (studio_id and id once written, created_at, updated_at, coverage_state, copies) cannot be written.
-- Items and policies are archived, not deleted.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.item_valuations,
  app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, item_id, value, as_of, source) on app.market_values to studio_writer;
grant update (value, as_of, source) on app.market_values to studio_writer;
grant delete on app.market_values to studio_writer;

grant insert (studio_id, id, external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date,
  cost, vendor, description) on app.maintenance_records to studio_writer;
grant update (external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor,
  description) on app.maintenance_records to studio_writer;
grant delete on app.maintenance_records to studio_writer;

grant insert (studio_id, id, external_key, name, carrier, policy_number, policy_type, overall_limit, deductible,
  covered_perils, location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id,
  notes) on app.policies to studio_writer;
grant update (external_key, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id, notes)
  on app.policies to studio_writer;

grant insert (studio_id, id, external_key, item_id, policy_id, declared_value, is_primary, effective_start,
  effective_end, notes) on app.policy_assignments to studio_writer;
grant update (external_key, item_id, policy_id, declared_value, is_primary, effective_start, effective_end, notes)
  on app.policy_assignments to studio_writer;
grant delete on app.policy_assignments to studio_writer;

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan,
  valuation.refresh, app.open_import
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
--! Included grants/studio_graphql.sql
-- The GraphQL pool: reads the views of api_v1 that analysts read
-- too; column by column on the tables under the views, no USAGE on app.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_graphql;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_graphql;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_graphql;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_graphql;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_graphql;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.open_analyst_session
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql
--! Included grants/studio_analyst.sql
-- Analysts: each is a login of this group, mapped to one studio in access.analyst_logins. They read the views of api_v1
-- in SQL; column by column on the tables under the views, no USAGE on app, nothing to write and nothing to execute that
-- is not needed by a view.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_analyst;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_analyst;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_analyst;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_analyst;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_analyst;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_analyst;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql

reset role;
--! Included grants/database.sql
-- What everybody could do in a new database and nobody needs here. Run as the administrator; where that is no
-- superuser, the catalog's own functions and languages stay as they are and the audit says so.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to studio_owner, studio_api, studio_recorder, studio_writer, '
    'studio_console, studio_graphql, studio_analyst, studio_auditor', current_database());
  -- For app.open_import. Nobody who can log in has it; the function says why.
  execute format('grant temporary on database %I to studio_owner', current_database());
end
$$;

-- The owner reads which migrations have run (access.schema_version).
grant usage on schema graphile_migrate to studio_owner;
grant select on graphile_migrate.migrations to studio_owner;

do $$
declare
  f record;
begin
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    raise warning 'not a superuser: languages and catalog functions stay open to everybody';
    return;
  end if;

  revoke usage on language plpgsql, sql from public;
  grant usage on language plpgsql, sql to studio_owner;

  for f in
    select c.signature, c.observes
    from audit.closed_functions c
    join pg_catalog.pg_proc p on p.oid = c.function
    where p.proacl is null or exists (
      select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')
  loop
    execute format('revoke execute on function %s from public', f.signature);
    if f.observes then
      execute format('grant execute on function %s to pg_read_all_stats', f.signature);
    end if;
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
