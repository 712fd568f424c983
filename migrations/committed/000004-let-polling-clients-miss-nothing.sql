--! Previous: sha1:ac26e5c4621a8d570013a9637179c3cd2068311c
--! Hash: sha1:6c278f701d9975e48335191b8e09a19ddb276292
--! Message: let polling clients miss nothing

-- Clients that poll miss nothing, and learn what is gone: changes are stamped by a clock that heartbeats announce, and what
-- leaves a list is noted.
set local role studio_owner;

-- The moments that heartbeats announced, and the transactions in which they did. A sequence, because every transaction sees its
-- newest value at once.
create table app.heartbeats (
  xid xid8 primary key,
  at timestamptz(3) not null
);
create sequence app.announced_moment as bigint minvalue 0; -- milliseconds since 1970

-- Which history the database continues, and since when removals are known without a gap. One row.
create table app.sync_state (
  only_row boolean primary key default true check (only_row),
  history text,
  removals_since timestamptz(3) not null
);
alter table app.heartbeats enable row level security;
alter table app.sync_state enable row level security;

--! Included app/functions/stamp.sql
-- The moment that a change shows as its updated_at or removed_at: the clock, but never before the moment that the last
-- heartbeat announced. The transaction takes its id before it looks, so every stamp is at or after the moment of every
-- heartbeat with a smaller id, whatever the clock does; access.watermark() relies on that. It is no row that is looked at
-- but a sequence, which shows the newest value to every transaction, a repeatable read too.
-- spec: updated_since — "Only items updated at or after it".
create or replace function app.stamp() returns timestamptz
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pg_catalog.pg_current_xact_id();
  return greatest(
    pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
    (select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m));
end
$$;

comment on function app.stamp() is 'The moment that a change shows: never before one that a heartbeat announced.';
--! EndIncluded app/functions/stamp.sql

-- What has left its list. At leaves_at it has left by itself (a policy that will end; removed_at may be to come, too); at returns_at
-- it comes back by itself (a policy that will begin).
create table app.removals (
  studio_id uuid not null references app.studios,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  resource text not null check (resource in ('item', 'location', 'maintenance', 'policy')),
  id uuid not null,
  reason text not null
    check (reason in ('archived', 'deleted', 'expired', 'not_started', 'item_archived', 'not_in_plan')),
  removed_at timestamptz(3) not null default app.stamp(),
  leaves_at timestamptz(3),
  returns_at timestamptz(3),
  primary key (studio_id, resource, id, reason)
);
create index removals_by_moment on app.removals (studio_id, removed_at desc, id desc) include (studio_hash);
alter table app.removals enable row level security;
alter table app.removals force row level security;
alter table app.removals
  alter column studio_hash set statistics 0, alter column resource set statistics 0, alter column id set statistics 0,
  alter column reason set statistics 0, alter column removed_at set statistics 0, alter column leaves_at set statistics 0,
  alter column returns_at set statistics 0;

create policy "A studio's removals are seen and written by that studio alone" on app.removals
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or (select access.current_studio_mask())[studio_hash]
    )
  )
  with check (studio_id = (select access.current_studio_id()));

alter type access.answer add attribute has_more boolean, add attribute watermark timestamptz;

drop function api_v1.count_items(text, text, timestamptz);
drop function api_v1.count_maintenance(uuid, text, timestamptz);
drop function api_v1.list_locations(bytea, bigint, integer, timestamptz, text);
drop function api_v1.list_policies(bytea, bigint, integer, timestamptz, text);

--! Included access/functions/watermark.sql
-- The moment before which nothing can still become visible to this snapshot: whatever it does not see, of transactions that
-- are open or yet to come, is stamped at or after it (app.stamp()). To the millisecond, one or two seconds ago; older while
-- a transaction that writes is open, by as long as that one. Never later than now. Null when there was no heartbeat yet.
-- Behind one that is older than all heartbeats it is the moment of the first of them: none was announced before that one, so
-- nothing that is not visible has an earlier stamp. (The migration that made app.stamp() locked out whoever wrote without it.)
-- It is right for whatever the same statement reads, on a replica too, where it is the replica's own.
create or replace function access.watermark() returns timestamptz
language sql stable security definer
set search_path = ''
return (
  select least(heartbeat.at, pg_catalog.date_trunc('milliseconds', pg_catalog.now()))
  from (select coalesce(
    (select h.at from app.heartbeats h
     where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1),
    (select h.at from app.heartbeats h order by h.xid limit 1)) as at) as heartbeat
  where heartbeat.at is not null);

comment on function access.watermark() is 'The moment before which nothing can still become visible to this snapshot.';
--! EndIncluded access/functions/watermark.sql
--! Included access/functions/removals_since.sql
-- Since when removals are known without a gap.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (select s.removals_since from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
--! EndIncluded access/functions/removals_since.sql
--! Included access/functions/authenticate_token.sql
-- Authenticates a token: one look-up by the digest of the whole token, the membership of its effective user and the plan,
-- all at this moment. status 401: unknown or revoked, or its effective user is no current member. 403: the plan includes no API
-- access. 304: all is well, and the validator is the version of this moment. 200: all is well.
--   validator  the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.authenticate_token(token_digest bytea, validator text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.id, t.studio_id, access.api_plan(s), access.data_version(studio), access.watermark()
  into answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark
  from access.tokens t
  join app.studios studio on studio.id = t.studio_id
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  answer.status := case
    when answer.token_id is null then 401
    when answer.plan_tier is null then 403
    when answer.version = validator then 304
    else 200
  end;
  return answer;
end
$$;

comment on function access.authenticate_token(bytea, text) is
  'Authenticates a token by the sha256 digest of its text: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/authenticate_token.sql
--! Included access/functions/authenticate_tokens.sql
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none): in
-- their order, what access.authenticate_token() says of each. Nothing is read and no session is opened.
create or replace function access.authenticate_tokens(token_digests bytea[], validators text[]) returns setof access.answer
language sql stable security definer
set search_path = ''
begin atomic
  select answered.*
  from unnest(token_digests, validators) with ordinality as asked (digest, validator, place)
  cross join lateral access.authenticate_token(asked.digest, asked.validator) as answered
  order by asked.place;
end;

comment on function access.authenticate_tokens(bytea[], text[]) is 'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included valuation/functions/due_items.sql
-- Items of the session's studio whose value time alone has changed, longest due first; with rebuild_missing also those whose
-- projection is missing. At most so many.
create or replace function valuation.due_items(rebuild_missing boolean, at_most integer) returns setof uuid
language sql stable security definer
set search_path = ''
begin atomic
  select due.item_id from (
    (select v.item_id from app.item_valuations v
     where v.studio_id = access.current_studio_id() and v.revalue_on <= access.current_studio_today()
     order by v.revalue_on limit at_most)
    union all
    (select i.id from app.items i
     where rebuild_missing and i.studio_id = access.current_studio_id() and not exists (
       select from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id)
     limit at_most)
  ) as due (item_id)
  limit at_most;
end;

comment on function valuation.due_items(boolean, integer) is
  'Items of the session''s studio whose value time alone has changed.';
--! EndIncluded valuation/functions/due_items.sql
--! Included valuation/functions/next_due.sql
-- The place of the next studio in which an item is due: time alone has changed its value, on the studio's own calendar. With
-- rebuild_missing also one in which the projection of an item is missing. Null when there is none after that place (null:
-- from the first). A place is the studio's studio_hash, which tells whoever goes from one to the next of no studio's id.
create or replace function valuation.next_due(after integer default null, rebuild_missing boolean default false) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash as place from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if exists (select from valuation.due_items(rebuild_missing, 1)) then
      due := studio.place;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_due(integer, boolean) is
  'The place of the next studio in which time alone has changed the value of an item.';
--! EndIncluded valuation/functions/next_due.sql
--! Included valuation/functions/refresh_studio.sql
-- The monthly tick of depreciation in one studio: values anew what is due, and moves updated_at of what shows a new value.
-- At most so many items, so that a transaction stays short; call it until it values none. Items that somebody is writing to,
-- and a studio that another session refreshes, are left for the next time.
create or replace function valuation.refresh_studio(
  studio_id uuid, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  due uuid[];
begin
  valued := 0;
  moved := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('valuation.refresh ' || refresh_studio.studio_id, 0)) then
    return;
  end if;
  perform access.enter_studio(refresh_studio.studio_id);
  select pg_catalog.array_agg(free.id) into due from (
    select i.id from app.items i
    where i.studio_id = refresh_studio.studio_id
      and i.id = any (array(select valuation.due_items(rebuild_missing, at_most)))
    order by i.id for no key update skip locked) as free;
  if due is not null then
    valued := pg_catalog.cardinality(due);
    moved := valuation.revalue(due);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.refresh_studio(uuid, boolean, integer) is
  'Values anew what is due in one studio; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_studio.sql
--! Included valuation/functions/refresh_due.sql
-- valuation.refresh_studio() for the studio at a place that valuation.next_due() has named. There is none at any other place:
-- nothing is done.
create or replace function valuation.refresh_due(
  place integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = place;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values anew what is due in the studio at a place; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_due.sql
--! Included valuation/functions/refresh.sql
-- The refresh of all studios in one transaction, as processes of version 1.0 call it daily while an upgrade goes on. It waits for
-- nobody: what is left is refreshed soon by a process of this version. Returns how many items show a new value.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  place integer := valuation.next_due(null, rebuild_missing);
  refreshed record;
  total bigint := 0;
begin
  while place is not null loop
    loop
      select r.valued, r.moved into refreshed from valuation.refresh_due(place, rebuild_missing) as r;
      exit when refreshed.valued = 0;
      total := total + refreshed.moved;
    end loop;
    place := valuation.next_due(place, rebuild_missing);
  end loop;
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values anew what is due in all studios; for processes of version 1.0, until the next minor version.';
--! EndIncluded valuation/functions/refresh.sql
--! Included access/functions/first_moment.sql
-- The first moment of a day in a time zone. Where clocks are set back from one o'clock to midnight (the Azores, Havana) there are two
-- midnights, and PostgreSQL converts to the second one.
create or replace function access.first_moment(day date, timezone text) returns timestamptz
language sql immutable security invoker
return case
  when ((day::timestamp at time zone timezone) - interval '1 hour') at time zone timezone >= day
  then (day::timestamp at time zone timezone) - interval '1 hour'
  else day::timestamp at time zone timezone
end;

comment on function access.first_moment(date, text) is 'The first moment of a day in a time zone.';
--! EndIncluded access/functions/first_moment.sql
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
    new.updated_at := greatest(app.stamp(), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
--! EndIncluded app/functions/touch.sql
--! Included app/functions/bump_data_version.sql
-- Trigger: moves the data version of every studio of which this statement changed a row. The version is the sum of the
-- studio's slots (see app.free_slot()); it grows with every transaction that changes what the API may answer.
create or replace function app.bump_data_version() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studios uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct c.studio_id) into studios from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct b.studio_id) into studios from before b;
  else
    -- By no join: planned for the few rows of the session's first statement, it would compare each row of a large one with each.
    select pg_catalog.array_agg(distinct m.studio_id) into studios from (
      select c.studio_id, c.id, c.updated_at from changed c except select b.studio_id, b.id, b.updated_at from before b) as m;
  end if;
  if studios is not null then
    perform app.add_data_version(studios);
  end if;
  return null;
end
$$;

comment on function app.bump_data_version() is 'Trigger: moves the data version of the studios whose rows changed.';
--! EndIncluded app/functions/bump_data_version.sql
--! Included app/functions/project_items.sql
-- Trigger: writes the projection of the items of this statement whose valuation inputs changed (all, when new).
create or replace function app.project_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into item_ids from changed c;
  else
    select pg_catalog.array_agg(m.id) into item_ids from ( -- no join: app.bump_data_version() says why
      select c.id, c.category, c.purchase_price, c.acquisition_date, c.depreciation_method, c.useful_life_months,
        c.residual_value, c.manual_value, c.replacement_cost, c.reported_insured_value, c.market_value
      from changed c
      except
      select b.id, b.category, b.purchase_price, b.acquisition_date, b.depreciation_method, b.useful_life_months,
        b.residual_value, b.manual_value, b.replacement_cost, b.reported_insured_value, b.market_value
      from before b) as m;
  end if;
  if item_ids is not null then
    perform valuation.project(item_ids);
  end if;
  return null;
end
$$;

comment on function app.project_items() is 'Trigger of app.items: writes the projection of changed items.';
--! EndIncluded app/functions/project_items.sql
--! Included app/functions/copy_item_to_maintenance.sql
-- Trigger: maintenance records show the name of their item and vanish while it is archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- planning costs more than the work
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(m.id) into item_ids from ( -- no join: app.bump_data_version() says why
    select c.id, c.name, c.archived_at is null from changed c except select b.id, b.name, b.archived_at is null from before b) as m;
  if item_ids is not null then
    -- No join: the planner would read every record of the studio for it.
    update app.maintenance_records m
    set (item_name, item_archived) = (
      select i.name, i.archived_at is not null from app.items i where i.studio_id = m.studio_id and i.id = m.item_id)
    where m.studio_id = (select access.current_studio_id()) and m.item_id = any (item_ids);
  end if;
  return null;
end
$$;

comment on function app.copy_item_to_maintenance() is
  'Trigger of app.items: copies name and archiving to the maintenance records.';
--! EndIncluded app/functions/copy_item_to_maintenance.sql
--! Included app/functions/touch_assigned_items.sql
-- Trigger: an item's assignments are part of what is read of it, so its updated_at moves when one is made, changed or removed.
-- The policy's does not: it shows the number of its assignments, but many are written for one policy at once, and who writes for
-- two policies in another order would wait for whom waits for them. Items are locked in the order of their ids. What is set here
-- differs from what was there even within one millisecond; app.touch() makes the moment of it.
create or replace function app.touch_assigned_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.item_id) into item_ids from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.item_id) into item_ids from before b;
  else
    select pg_catalog.array_agg(u.item_id) into item_ids from ( -- no join: app.bump_data_version() says why
      (select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c
       except
       select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b)
      union all
      (select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b
       except
       select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c)
    ) as u;
  end if;
  if item_ids is null then
    return null;
  end if;
  perform from app.items i
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids) order by i.id for no key update;
  update app.items i set updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.touch_assigned_items() is
  'Trigger of app.policy_assignments: moves updated_at of the items whose assignments changed.';
--! EndIncluded app/functions/touch_assigned_items.sql
--! Included app/functions/record_removals.sql
-- Notes that records of the session's studio have left their list, now. A record that is noted already for the same reason
-- is noted again with its new moment.
create or replace function app.record_removals(resource text, ids uuid[], reason text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into app.removals (studio_id, resource, id, reason)
  select access.current_studio_id(), record_removals.resource, removed.id, record_removals.reason
  from unnest(record_removals.ids) as removed (id)
  on conflict on constraint removals_pkey do update set removed_at = excluded.removed_at;
end
$$;

comment on function app.record_removals(text, uuid[], text) is 'Notes that records have left their list.';
--! EndIncluded app/functions/record_removals.sql
--! Included app/functions/clear_removals.sql
-- Forgets removals of records of the session's studio that are in their list again. Their updated_at has moved.
create or replace function app.clear_removals(resource text, ids uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from app.removals r
  where r.studio_id = access.current_studio_id() and r.resource = clear_removals.resource
    and r.id = any (clear_removals.ids);
end
$$;

comment on function app.clear_removals(text, uuid[]) is 'Forgets removals of records that are in their list again.';
--! EndIncluded app/functions/clear_removals.sql
--! Included app/functions/forget_removals.sql
-- Has every client read everything again: whoever asks for removals since a moment before now is answered with 410. For a
-- database that continues another history than the one that clients have seen (a restore, a failover), in which removals
-- may be missing. Clocks of two servers may differ by ten seconds. Versions of answers move, so that none is taken for one
-- of the other history.
create or replace function app.forget_removals(history text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.sync_state s
  set history = forget_removals.history,
      removals_since = case when s.history is null then s.removals_since else app.stamp() + interval '10 seconds' end;
  perform app.add_data_version(array(select s.id from app.studios s order by s.id));
end
$$;

comment on function app.forget_removals(text) is 'Has every client read everything again, after a restore or a failover.';
--! EndIncluded app/functions/forget_removals.sql
--! Included app/functions/remove_items.sql
-- Trigger of app.items: notes which items left the list in this statement (archived, deleted), and forgets those that
-- came back.
create or replace function app.remove_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where b.archived_at is null;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where c.archived_at is null and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'item' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.archived),
      pg_catalog.array_agg(m.id) filter (where not m.archived)
    into gone, back
    from ( -- no join: app.bump_data_version() says why
      select c.id, c.archived_at is not null as archived from changed c
      except select b.id, b.archived_at is not null from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('item', gone, case tg_op when 'DELETE' then 'deleted' else 'archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('item', back);
  end if;
  return null;
end
$$;

comment on function app.remove_items() is 'Trigger of app.items: notes which items left the list.';
--! EndIncluded app/functions/remove_items.sql
--! Included app/functions/remove_maintenance.sql
-- Trigger of app.maintenance_records: notes which records left the list in this statement (deleted, or their item was
-- archived), and forgets those that came back.
create or replace function app.remove_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where not b.item_archived;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where not c.item_archived and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'maintenance' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.item_archived),
      pg_catalog.array_agg(m.id) filter (where not m.item_archived)
    into gone, back
    from ( -- no join: app.bump_data_version() says why
      select c.id, c.item_archived from changed c except select b.id, b.item_archived from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('maintenance', gone, case tg_op when 'DELETE' then 'deleted' else 'item_archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('maintenance', back);
  end if;
  return null;
end
$$;

comment on function app.remove_maintenance() is 'Trigger of app.maintenance_records: notes which records left the list.';
--! EndIncluded app/functions/remove_maintenance.sql
--! Included app/functions/shows_all_locations.sql
-- Whether a studio's plan shows all of its locations, and not the default one alone. Whether the plan is paid for does not
-- matter: without API access nobody reads anything.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.shows_all_locations(studio_id uuid) returns boolean
language sql stable security definer
set search_path = ''
return coalesce((
  select s.plan = 'studio' from access.subscriptions s where s.studio_id = shows_all_locations.studio_id), false);

comment on function app.shows_all_locations(uuid) is 'Whether a studio''s plan shows all of its locations.';
--! EndIncluded app/functions/shows_all_locations.sql
--! Included app/functions/hold_plan.sql
-- Trigger of app.locations, before a statement that may change which ones the plan shows: the plan stays as it is until these
-- locations are there to be found by whoever changes it next (access.change_plan()). Before any location is locked, because
-- whoever changes the plan holds the subscription first, and then the locations.
create or replace function app.hold_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from access.subscriptions s where s.studio_id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_plan() is 'Trigger of app.locations: the plan stays as it is until they are written.';
--! EndIncluded app/functions/hold_plan.sql
--! Included app/functions/remove_locations.sql
-- Trigger of app.locations: notes which locations left the list in this statement (deleted; on a plan that shows the
-- default location alone, no longer the default), and forgets those that came back. The plan stays as it is meanwhile
-- (app.hold_plan()).
create or replace function app.remove_locations() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  shows_all boolean;
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'UPDATE' then
    -- No join: app.bump_data_version() says why.
    if not exists (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) then
      return null;
    end if;
  end if;
  shows_all := app.shows_all_locations(access.current_studio_id());
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where shows_all or b.is_default;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'location' and r.id = c.id);
  elsif not shows_all then
    select
      pg_catalog.array_agg(m.id) filter (where not m.is_default),
      pg_catalog.array_agg(m.id) filter (where m.is_default)
    into gone, back
    from (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('location', gone, case tg_op when 'DELETE' then 'deleted' else 'not_in_plan' end);
  end if;
  if back is not null then
    perform app.clear_removals('location', back);
  end if;
  return null;
end
$$;

comment on function app.remove_locations() is 'Trigger of app.locations: notes which locations left the list.';
--! EndIncluded app/functions/remove_locations.sql
--! Included app/functions/hold_time_zone.sql
-- Trigger of app.policies, before a statement that may change when one begins or ends: the studio's time zone stays as it is until
-- these policies are there to be found by whoever changes it next (app.change_time_zone()). Before any policy is locked, because
-- whoever changes the time zone holds the studio first, and then its policies.
create or replace function app.hold_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from app.studios s where s.id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_time_zone() is 'Trigger of app.policies: the time zone stays as it is until they are written.';
--! EndIncluded app/functions/hold_time_zone.sql
--! Included app/functions/schedule_policies.sql
-- Writes anew when policies of the session's studio leave the list of active ones, by the calendar of the studio:
--   archived, expired, not_started  a policy that is not active now has left the list at this moment; one that is not
--                                   started comes back by itself on the day on which it begins (returns_at)
--   expired                         one that is to end leaves it when its last day is over (removed_at, to come), but not before
--                                   a moment that is announced already: a clock that was ahead may have passed that midnight
-- Whatever the clock says later, one that has expired is away when its last day is over (leaves_at), as in api_v1.policies.
-- brand_new: nobody has had these policies in a list, so that they cannot have left one before now.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and effective_end (if set) has
-- not passed."
create or replace function app.schedule_policies(policy_ids uuid[], brand_new boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  zone text;
  today date;
  announced timestamptz := (select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m);
  known uuid[]; -- of those that are brand new: deleted before, and recorded anew with the same id
begin
  select s.timezone into zone from app.studios s where s.id = studio; -- it stays as it is meanwhile (app.hold_time_zone())
  -- Now, and not when the transaction began: midnight may have passed since.
  today := ((access.clock() + (pg_catalog.clock_timestamp() - pg_catalog.now())) at time zone zone)::date;
  if brand_new then
    select pg_catalog.array_agg(r.id) into known from app.removals r
    where r.studio_id = studio and r.resource = 'policy' and r.id = any (policy_ids);
  end if;
  perform app.clear_removals('policy', policy_ids);

  insert into app.removals (studio_id, resource, id, reason, removed_at, leaves_at, returns_at)
  select studio, 'policy', p.id, left_list.reason,
    case when left_list.at is null then app.stamp() else greatest(left_list.at, announced) end,
    case when left_list.reason = 'expired' then access.first_moment(p.effective_end + 1, zone) end, left_list.returns_at
  from app.policies p
  cross join lateral (
    select
      case
        when p.archived_at is not null then 'archived'
        when p.effective_end < today then 'expired'
        else 'not_started'
      end as reason,
      null::timestamptz as at,
      case when p.archived_at is null and p.effective_start > today
        then access.first_moment(p.effective_start, zone) end as returns_at
    where (not brand_new or p.id = any (known)) and (
      p.archived_at is not null or p.effective_start is null or p.effective_start > today or p.effective_end < today)
    union all
    select 'expired', access.first_moment(p.effective_end + 1, zone), null
    where p.archived_at is null and p.effective_end >= today
  ) as left_list
  where p.studio_id = studio and p.id = any (policy_ids);
end
$$;

comment on function app.schedule_policies(uuid[], boolean) is 'Writes anew when policies leave the list of active ones.';
--! EndIncluded app/functions/schedule_policies.sql
--! Included app/functions/remove_policies.sql
-- Trigger of app.policies: notes when policies leave the list of active ones. What the calendar does is noted beforehand:
-- the day on which a policy ends, as a removal that is still to come, and the day on which one begins, as the end of its
-- removal.
create or replace function app.remove_policies() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into ids from before b;
    perform app.clear_removals('policy', ids);
    perform app.record_removals('policy', ids, 'deleted');
    return null;
  end if;
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into ids from changed c;
  else
    select pg_catalog.array_agg(m.id) into ids from ( -- no join: app.bump_data_version() says why
      select c.id, c.archived_at is null, c.effective_start, c.effective_end from changed c
      except select b.id, b.archived_at is null, b.effective_start, b.effective_end from before b) as m;
  end if;
  if ids is not null then
    perform app.schedule_policies(ids, tg_op = 'INSERT');
  end if;
  return null;
end
$$;

comment on function app.remove_policies() is 'Trigger of app.policies: notes when policies leave the list.';
--! EndIncluded app/functions/remove_policies.sql
--! Included app/functions/change_time_zone.sql
-- Trigger of app.studios: another time zone begins and ends the days of policies at other moments, and may make one active
-- or not at once.
create or replace function app.change_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  policy_ids uuid[];
begin
  perform access.enter_studio(new.id);
  -- Those that are there when it is their turn: what was deleted meanwhile is to stay removed.
  with moved as (
    update app.policies p set updated_at = p.updated_at + interval '1 millisecond'
    where p.studio_id = new.id and p.archived_at is null returning p.id)
  select pg_catalog.array_agg(m.id) into policy_ids from moved m;
  if policy_ids is not null then
    perform app.schedule_policies(policy_ids, false);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function app.change_time_zone() is 'Trigger of app.studios: policies begin and end at other moments.';
--! EndIncluded app/functions/change_time_zone.sql
--! Included access/functions/change_plan.sql
-- Trigger of access.subscriptions: a plan that shows other locations than the one before removes locations from their list,
-- or brings them back with a new updated_at.
create or replace function access.change_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  location_ids uuid[];
begin
  if tg_op = 'UPDATE' and (old.plan = 'studio') = (new.plan = 'studio') then
    return null;
  end if;
  perform access.enter_studio(new.studio_id);
  select pg_catalog.array_agg(l.id) into location_ids
  from app.locations l where l.studio_id = new.studio_id and not l.is_default;
  if location_ids is not null then
    if new.plan = 'studio' then
      perform app.clear_removals('location', location_ids);
      update app.locations l set updated_at = l.updated_at + interval '1 millisecond'
      where l.studio_id = new.studio_id and l.id = any (location_ids);
    else
      perform app.record_removals('location', location_ids, 'not_in_plan');
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function access.change_plan() is
  'Trigger of access.subscriptions: removes the locations that a plan does not show, and brings them back.';
--! EndIncluded access/functions/change_plan.sql
--! Included access/functions/history.sql
-- Which history this database continues: the server's identifier and its timeline. A dump that is restored elsewhere, a
-- restore to a point in time and a standby that takes over are other histories.
create or replace function access.history() returns text
language sql volatile security definer
set search_path = ''
return (
  select c.system_identifier || '/'
    || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8)
  from pg_catalog.pg_control_system() c);

comment on function access.history() is 'Which history this database continues: system identifier and timeline.';
--! EndIncluded access/functions/history.sql
--! Included access/functions/heartbeat.sql
-- Moves the watermark: called once a second by every process of the service; one of them writes. Each heartbeat writes down
-- the moment that the one before it announced, and announces a later one. So a transaction with a greater id than that of
-- a heartbeat has begun to write after its moment was announced, and stamps no earlier (app.stamp()).
-- It also notices that the database continues another history than that of the last heartbeat, after a restore or a
-- failover: then what clients know may never have been, and app.forget_removals() has them read everything again. Its heartbeats
-- are only of use on a server that counts transactions on from there: a standby that takes over does, with those that were
-- prepared; a server into which a dump is restored does not.
create or replace function access.heartbeat() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  clock bigint := pg_catalog.floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000);
  announced bigint;
  history text := access.history();
  last_history text := (select s.history from app.sync_state s);
begin
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('access.heartbeat', 0)) then
    return;
  end if;
  select m.last_value into announced from app.announced_moment m;
  if clock - announced between 0 and 800 then
    return; -- another process was here
  end if;

  if history is distinct from last_history then
    if pg_catalog.split_part(history, '/', 1) is distinct from pg_catalog.split_part(last_history, '/', 1) then
      delete from app.heartbeats h; -- ids of its transactions would never be passed here, or already have been
    end if;
    perform app.forget_removals(history);
  end if;

  insert into app.heartbeats (xid, at)
  values (pg_catalog.pg_current_xact_id(), timestamptz 'epoch' + announced * interval '1 millisecond');
  perform pg_catalog.setval('app.announced_moment', greatest(clock, announced + 1));

  -- What no snapshot will look for again: all before the newest one that is behind every open transaction.
  delete from app.heartbeats h where h.xid < (
    select k.xid from app.heartbeats k
    where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by k.xid desc limit 1);
end
$$;

comment on function access.heartbeat() is 'Moves the watermark; called once a second.';
--! EndIncluded access/functions/heartbeat.sql
--! Included access/functions/purge_removals.sql
-- Forgets removals that are older than a number of days, of all studios, at most so many in a transaction; returns their number: call
-- it until it returns 0. Whoever asks for older ones is answered with 410 from then on. One at a time: while another session purges,
-- it does nothing and returns 0. What somebody is writing to is left for the next time. Called by a login that may enter studios
-- (access.current_studio_id()).
create or replace function access.purge_removals(days integer, at_most integer default 10000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  horizon timestamptz := pg_catalog.now() - pg_catalog.make_interval(days => days);
  studio uuid;
  purged bigint;
  total bigint := 0;
begin
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('access.purge_removals', 0)) then
    return 0;
  end if;
  update app.sync_state s set removals_since = horizon where s.removals_since < horizon;
  for studio in select s.id from app.studios s order by s.id loop
    perform access.enter_studio(studio);
    with old as materialized (
      select r.resource, r.id, r.reason from app.removals r
      where r.studio_id = studio and r.removed_at < horizon
      limit at_most - total for update skip locked)
    delete from app.removals r using old o
    where r.studio_id = studio and r.resource = o.resource and r.id = o.id and r.reason = o.reason;
    get diagnostics purged = row_count;
    if purged > 0 then
      perform app.add_data_version(array[studio]);
    end if;
    total := total + purged;
    exit when total >= at_most;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return total;
end
$$;

comment on function access.purge_removals(integer, integer) is 'Forgets removals that are older than a number of days.';
--! EndIncluded access/functions/purge_removals.sql
--! Included app/triggers/studios.sql
-- The triggers of app.studios. Triggers of one event run in the order of their names.
create or replace trigger b_check before insert or update on app.studios
  for each row execute function app.check_studio();
create or replace trigger c_touch before update on app.studios
  for each row execute function app.touch();
create or replace trigger bump after insert or update on app.studios
  for each row execute function app.bump_own_data_version('id');
create or replace trigger change_time_zone after update of timezone on app.studios
  for each row when (old.timezone <> new.timezone) execute function app.change_time_zone();
--! EndIncluded app/triggers/studios.sql
--! Included app/triggers/locations.sql
-- The triggers of app.locations. Triggers of one event run in the order of their names.
create or replace trigger a_hold_plan before insert or update of is_default or delete on app.locations
  for each statement execute function app.hold_plan();
create or replace trigger a_require_session before insert or update or delete on app.locations
  for each row execute function app.require_session();
create or replace trigger b_check before delete on app.locations
  for each row execute function app.check_location();
create or replace trigger c_touch before update on app.locations
  for each row execute function app.touch();

create or replace trigger check_plan after insert on app.locations
  for each row execute function app.check_location();
drop trigger if exists require_default on app.locations;
create constraint trigger require_default after update of is_default on app.locations
  deferrable initially deferred for each row when (old.is_default and not new.is_default)
  execute function app.require_default_location();

create or replace trigger bump_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.remove_locations();
--! EndIncluded app/triggers/locations.sql
--! Included app/triggers/items.sql
-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.items
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();

create or replace trigger project_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.project_items();
create or replace trigger project_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.project_items();

create or replace trigger count_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.count_items();
create or replace trigger count_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.count_items();
create or replace trigger count_deleted after delete on app.items
  referencing old table as before for each statement execute function app.count_items();

create or replace trigger copy_to_maintenance after update on app.items
  referencing old table as before new table as changed for each statement
  execute function app.copy_item_to_maintenance();

create or replace trigger bump_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.items
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_deleted after delete on app.items
  referencing old table as before for each statement execute function app.remove_items();
--! EndIncluded app/triggers/items.sql
--! Included app/triggers/maintenance_records.sql
-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();

create or replace trigger count_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.count_maintenance();

create or replace trigger bump_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.remove_maintenance();
--! EndIncluded app/triggers/maintenance_records.sql
--! Included app/triggers/policies.sql
-- The triggers of app.policies. Triggers of one event run in the order of their names.
create or replace trigger a_hold_time_zone before insert or update of archived_at, effective_start, effective_end on app.policies
  for each statement execute function app.hold_time_zone();
create or replace trigger a_require_session before insert or update or delete on app.policies
  for each row execute function app.require_session();
create or replace trigger c_touch before update on app.policies
  for each row execute function app.touch();

create or replace trigger bump_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.remove_policies();
--! EndIncluded app/triggers/policies.sql
--! Included app/triggers/policy_assignments.sql
-- The triggers of app.policy_assignments. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.policy_assignments
  for each row execute function app.require_session();
create or replace trigger c_touch before update on app.policy_assignments
  for each row execute function app.touch();

create or replace trigger touch_items_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.touch_assigned_items();
create or replace trigger touch_items_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement
  execute function app.touch_assigned_items();
create or replace trigger touch_items_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.touch_assigned_items();

create or replace trigger bump_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/policy_assignments.sql
--! Included access/triggers/subscriptions.sql
-- The account shows the plan and its period: the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');

-- A plan shows all locations, or the default one alone.
create or replace trigger change_plan after insert or update of plan on access.subscriptions
  for each row execute function access.change_plan();
--! EndIncluded access/triggers/subscriptions.sql
--! Included api_v1/views/removals.sql
-- What has left its list: what was archived, deleted, ended by its date or is hidden by the plan, for as long as it is away.
-- A policy that will end has not left yet (leaves_at); one that has begun by its date is back (returns_at). Whatever else has left is
-- away at once: its removed_at may be later than the clock, which may have been stepped back.
create or replace view api_v1.removals with (security_invoker = true) as
select r.resource, r.id, r.reason, r.removed_at
from app.removals r
where (r.leaves_at is null or r.leaves_at <= (select access.clock()))
  and (r.returns_at is null or r.returns_at > (select access.clock()));

comment on view api_v1.removals is 'Records that have left their list: archived, deleted, expired or hidden by the plan.';
comment on column api_v1.removals.resource is 'Which list the record has left: item, policy, location or maintenance.';
comment on column api_v1.removals.id is 'Id of the record in that list.';
comment on column api_v1.removals.reason is
  'archived, deleted, expired, not_started (a policy whose start was moved), item_archived (maintenance) or not_in_plan (a location).';
comment on column api_v1.removals.removed_at is 'When the record left the list.';
--! EndIncluded api_v1/views/removals.sql
--! Included api_v1/functions/count_items.sql
-- How many live items match. Without updated_since the counters know; with it an index-only scan counts what is newer, and
-- before the watermark (null: whatever is newer).
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(
  category text, coverage_state text, updated_since timestamptz, before timestamptz
)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from api_v1.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d
      where d.category = category and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from api_v1.item_documents d
    where d.category = category and d.coverage_state = coverage_state
      and d.updated_at >= updated_since and d.updated_at < until
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz, timestamptz) is 'How many live items match the filters.';
--! EndIncluded api_v1/functions/count_items.sql
--! Included api_v1/functions/with_page.sql
-- An answer with a page of a list: the documents without the one that tells that there are more, and the key of the last row.
-- The arrays are those of the page's rows and of the one after it; null when there is no row.
create or replace function api_v1.with_page(
  answer access.answer, per_page integer, documents text[], moments timestamptz[], ids uuid[]
) returns access.answer
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  rows_found integer := coalesce(pg_catalog.cardinality(documents), 0);
  shown integer := least(rows_found, per_page);
begin
  answer.has_more := rows_found > per_page;
  answer.data := coalesce(pg_catalog.array_to_string(documents[1:shown], ','), '');
  answer.last_at := moments[shown];
  answer.last_id := ids[shown];
  return answer;
end
$$;

comment on function api_v1.with_page(access.answer, integer, text[], timestamptz[], uuid[]) is
  'An answer with a page of a list, and whether there are more.';
--! EndIncluded api_v1/functions/with_page.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A page may begin after a row whose key the caller knows (cursor_*);
-- otherwise that key is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   updated_since   also leaves out what is not before the watermark, so that whoever asks next with the newest updated_at, or
--                   with the watermark, misses nothing: what is left out, and what is not committed yet, is newer
--   validator       see access.authenticate_token()
--   cursor_at, cursor_id           the key that a client's cursor names; the page begins after it
--   cursor_version, cursor_total   version and total of an answer whose last key that is, the page before this one to the same
--                   question: the cache's cursor, not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  rows_wanted integer := per_page;
  moments timestamptz[];
  ids uuid[];
  shown integer;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_items(category, coverage_state, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if cursor_id is not null and cursor_version is null then
    rows_wanted := per_page + 1; -- which page it is does not tell whether there is another one
  end if;
  if before is not null and exists (select from api_v1.item_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if rows_wanted = per_page and skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  end if;

  shown := least(pg_catalog.cardinality(ids), per_page);
  answer.last_at := moments[shown];
  answer.last_id := ids[shown];
  if rows_wanted <= per_page then
    answer.has_more := page * per_page < answer.total;
  else
    answer.has_more := ids[per_page + 1] is not null;
    if answer.has_more then
      select pg_catalog.left(answer.data, -1 - pg_catalog.char_length(d.document)) into answer.data
      from api_v1.item_documents d where d.id = ids[per_page + 1];
    end if;
  end if;
  answer.data := coalesce(answer.data, '');
  return answer;
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match. Cursors and the watermark as
-- in api_v1.list_items().
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  after_at timestamptz := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.locations l where l.updated_at >= since and l.updated_at < before
    order by l.updated_at desc, l.id desc) as newer);

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select l.updated_at as at, l.id, row_to_json((select location from (select
      l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
      l.postal_code, l.country_code, l.is_default,
      api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
    ) as location))::text as document
    from api_v1.locations l
    where l.updated_at >= since and l.updated_at < before
      and (l.updated_at, l.id) < (after_at, after_id)
    order by l.updated_at desc, l.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.locations l where l.updated_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_locations(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /locations: a page of locations, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_locations.sql
--! Included api_v1/functions/count_maintenance.sql
-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz, before timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
begin
  if item_id is not null then
    return (select count(*) from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity') and d.updated_at < until);
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from api_v1.maintenance_counts c
      where c.status = counted_status);
  elsif status is null then
    return (select count(*) from api_v1.maintenance_documents d where d.updated_at >= updated_since and d.updated_at < until);
  end if;
  return (select count(*) from api_v1.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since and d.updated_at < until);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz, timestamptz) is
  'How many maintenance records match the filters.';
--! EndIncluded api_v1/functions/count_maintenance.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  rows_wanted integer := per_page;
  moments timestamptz[];
  ids uuid[];
  shown integer;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if cursor_id is not null and cursor_version is null then
    rows_wanted := per_page + 1; -- which page it is does not tell whether there is another one
  end if;
  if before is not null and exists (select from api_v1.maintenance_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if rows_wanted = per_page and skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into answer.data, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit rows_wanted) as p;
  end if;

  shown := least(pg_catalog.cardinality(ids), per_page);
  answer.last_at := moments[shown];
  answer.last_id := ids[shown];
  if rows_wanted <= per_page then
    answer.has_more := page * per_page < answer.total;
  else
    answer.has_more := ids[per_page + 1] is not null;
    if answer.has_more then
      select pg_catalog.left(answer.data, -1 - pg_catalog.char_length(d.document)) into answer.data
      from api_v1.maintenance_documents d where d.id = ids[per_page + 1];
    end if;
  end if;
  answer.data := coalesce(answer.data, '');
  return answer;
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/list_policies.sql
-- GET /policies: one page of the policies that are active today, most recently started first, and their number. A policy that
-- has begun since updated_since has become visible since then, whenever it was recorded. Cursors and the watermark as in
-- api_v1.list_items(); here the key of a row is (effective_start, id).
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at date default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  zone text := (select a.timezone from api_v1.account a);
  after_at date := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
  left_out bigint;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  select count(*) filter (where active.since < before), count(*) filter (where active.since >= before)
  into answer.total, left_out
  from (
    select greatest(p.updated_at, access.first_moment(p.effective_start, zone)) as since
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
    order by p.effective_start desc, p.id desc) as active;

  select pg_catalog.array_agg(q.document), pg_catalog.array_agg(q.at), pg_catalog.array_agg(q.id)
  into documents, moments, ids
  from (
    select p.effective_start::timestamp at time zone 'UTC' as at, p.id, row_to_json((select policy from (select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    ) as policy))::text as document
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
      and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) < before
      and (p.effective_start, p.id) < (after_at, after_id)
    order by p.effective_start desc, p.id desc
    offset skipped limit per_page + 1
  ) as q;
  if left_out > 0 then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_policies(
  bytea, bigint, integer, timestamptz, text, text, bigint, date, uuid) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/list_removals.sql
-- GET /removals: one page of what has left its list, most recently removed first, and the number of all that match. status 410
-- when removals since that moment are not known any more, or may be incomplete. Cursors and the watermark as in
-- api_v1.list_items().
create or replace function api_v1.list_removals(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  after_at timestamptz := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  if updated_since < access.removals_since() then
    answer.status := 410;
    return answer;
  end if;
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else (select count(*) from (
      select from api_v1.removals r where r.removed_at >= since and r.removed_at < before
      order by r.removed_at desc, r.id desc) as newer)
  end;

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.removed_at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select r.removed_at, r.id, row_to_json((select removal from (select
      r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
    ) as removal))::text as document
    from api_v1.removals r
    where r.removed_at >= since and r.removed_at < before
      and (r.removed_at, r.id) < (after_at, after_id)
    order by r.removed_at desc, r.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.removals r where r.removed_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_removals(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /removals: a page of what has left its list, most recently removed first, and the number of all.';
--! EndIncluded api_v1/functions/list_removals.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(token_digest bytea, validator text default null) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest, validator);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      api_v1.count_items(null, null, null, null) as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, text) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_valuations', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_photos', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_counts', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
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
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller; moves the watermark. Nothing else.

grant execute on function
  access.record_activity, access.watch_analysts, access.heartbeat, access.watermark
  to studio_recorder;
--! EndIncluded grants/studio_recorder.sql
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
  valuation.next_due, valuation.refresh_due, valuation.refresh, access.purge_removals, app.open_import,
  app.stamp
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

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock, access.open_analyst_session
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

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_analyst;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock
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
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id() to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql

-- When policies that are there leave the list of active ones.
set local role studio_owner;

do $$
declare
  studio uuid;
begin
  for studio in select id from app.studios loop
    perform pg_catalog.set_config('studio.id', studio::text, true);
    perform app.schedule_policies(pg_catalog.array_agg(p.id), true)
    from app.policies p where p.studio_id = studio having count(*) > 0;
  end loop;
  perform pg_catalog.set_config('studio.id', '', true);
end
$$;

-- Last, because from here on readers wait too.
drop trigger touch_policies_inserted on app.policy_assignments;
drop trigger touch_policies_updated on app.policy_assignments;
drop trigger touch_policies_deleted on app.policy_assignments;
drop function app.touch_assigned_policies();

-- created_at is cut to milliseconds as updated_at is, so that it is never later.
alter table app.studios alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();
alter table app.locations alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();
alter table app.items alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();
alter table app.maintenance_records alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();
alter table app.policies alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();
alter table app.policy_assignments alter column created_at set default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  alter column updated_at set default app.stamp();

-- Whoever wrote without app.stamp() and without noting removals is over now: the first moment that a heartbeat will write down, and
-- since which removals are known.
select pg_catalog.setval('app.announced_moment', pg_catalog.floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint);
insert into app.sync_state (removals_since)
select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m;

reset role;
