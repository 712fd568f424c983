--! Previous: sha1:c94c32d775a4cdf88c9109abefef8e4b46b59bc9
--! Hash: sha1:ca2ca56c7ee9ddf13763119d5e5c21497ac541f6
--! Message: move a studio to another cell

-- A studio moves to another cell: its writes can be stopped, and what has left or is arriving is known as such.
set local role studio_owner;

-- The moves of studios from and to this cell. The id is the same in both. What a studio left behind stays until its removal.
--   leaving   copying → switching → moved → finished, or aborted
--   arriving  arriving → landed → active → left, or clearing → aborted
create table access.studio_moves (
  id uuid primary key,
  studio_id uuid not null,
  direction text not null check (direction in ('leaving', 'arriving')),
  peer text not null check (peer <> ''), -- the name of the other cell
  state text not null,
  slots text, -- a pattern of the names of the slots in which the tables are copied at first
  removals_since timestamptz(3), -- of what has arrived: since when its removals are known without a gap, as where it came from
  started_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  changed_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  constraint state_of_its_direction check (
    case direction
      when 'leaving' then state in ('copying', 'switching', 'moved', 'finished', 'aborted')
      else state in ('arriving', 'landed', 'active', 'left', 'clearing', 'aborted')
    end)
);
create index studio_moves_by_studio on access.studio_moves (studio_id);
create unique index studio_moves_one_open on access.studio_moves (studio_id)
  where state in ('copying', 'switching', 'moved', 'arriving', 'landed', 'clearing');
comment on table access.studio_moves is 'The moves of studios from and to this cell, and how far they are.';

-- The last that is written before a copy is compared: where it has arrived, everything before it has.
create table access.move_marks (
  studio_id uuid primary key,
  mark uuid not null
);
comment on table access.move_marks is 'What is written last before the copies of a studio are compared.';

alter table access.studio_moves enable row level security;
alter table access.move_marks enable row level security;

--! Included access/functions/has_left.sql
-- Whether a studio has moved to another cell, and what is here is the copy that it left behind.
create or replace function access.has_left(studio_id uuid) returns boolean
language sql stable security definer
set search_path = ''
return exists (
  select from access.studio_moves m where m.studio_id = has_left.studio_id and m.state = 'moved');

comment on function access.has_left(uuid) is 'Whether a studio has moved to another cell.';
--! EndIncluded access/functions/has_left.sql
--! Included access/functions/accepts_writes.sql
-- Whether a studio may be written now: not while a move has stopped its writes, nor in the cell that it has moved away from or is
-- arriving in. Whoever asks keeps the move from stopping them until the end of the transaction, so that no write comes after the stop.
-- The stop is a lock that the session of `studio move` has: it ends with that session, whatever happens to the command. From the
-- switch on it is the state of the move, which lasts. A transaction whose snapshot is older than that state does not see it; it
-- locks the studio's row, which the switch has written, and fails with 40001.
-- There are 1,024 such locks for all studios, so that a transaction may write to any number of them. While another studio with
-- the same lock is stopped, its end is waited for.
create or replace function access.accepts_writes(studio_id uuid) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  lock integer := pg_catalog.uuid_hash(accepts_writes.studio_id) & 1023;
begin
  if not pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtext('studio move'), lock) then
    if exists (
      select from access.studio_moves m
      where m.studio_id = accepts_writes.studio_id and m.state in ('copying', 'switching')) then
      return false;
    end if;
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtext('studio move'), lock);
  end if;
  if pg_catalog.current_setting('transaction_isolation') <> 'read committed' then
    perform from app.studios s where s.id = accepts_writes.studio_id for share;
  end if;
  return not exists (
    select from access.studio_moves m
    where m.studio_id = accepts_writes.studio_id
      and m.state in ('switching', 'moved', 'arriving', 'landed', 'clearing'));
end
$$;

comment on function access.accepts_writes(uuid) is 'Whether a studio may be written now: no move has stopped its writes.';
--! EndIncluded access/functions/accepts_writes.sql
--! Included access/functions/require_writable.sql
-- Refuses to go on when a move has stopped the writes of a studio (access.accepts_writes). Raises SI503.
create or replace function access.require_writable(studio_id uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not access.accepts_writes(studio_id) then
    if access.has_left(studio_id) then
      raise exception 'the studio has moved to another cell' using errcode = 'SI503', hint = 'Write to it there.';
    end if;
    raise exception 'the studio is being moved to another cell and cannot be written now' using errcode = 'SI503',
      hint = 'Try again in a few seconds.';
  end if;
end
$$;

comment on function access.require_writable(uuid) is 'Refuses to go on when a move has stopped the writes of a studio.';
--! EndIncluded access/functions/require_writable.sql
--! Included access/functions/require_writable_studio.sql
-- Trigger of tables that are written without a studio's session: refuses rows of a studio whose writes a move has stopped. The
-- argument names the column that holds the studio's id. Raises SI503.
create or replace function access.require_writable_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    perform access.require_writable((pg_catalog.to_jsonb(old) ->> tg_argv[0])::uuid);
  end if;
  if tg_op <> 'DELETE' then
    perform access.require_writable((pg_catalog.to_jsonb(new) ->> tg_argv[0])::uuid);
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

comment on function access.require_writable_studio() is 'Trigger: refuses rows of a studio whose writes a move has stopped.';
--! EndIncluded access/functions/require_writable_studio.sql
--! Included access/functions/removals_since.sql
-- Since when removals of the session's studio are known without a gap: of a studio that came from another cell as there, because
-- its removals came along, else since the moment that applies to the whole database.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (
  select coalesce(
    (select max(m.removals_since) from access.studio_moves m
     where m.studio_id = access.current_studio_id() and m.state in ('landed', 'active')),
    s.removals_since)
  from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
--! EndIncluded access/functions/removals_since.sql
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
    -- Only where something is to be done: asking whether a studio may be written takes a lock.
    continue when not exists (select from app.removals r where r.studio_id = studio and r.removed_at < horizon)
      or not access.accepts_writes(studio);
    with old as materialized (
      select r.resource, r.id, r.reason from app.removals r
      where r.studio_id = studio and r.removed_at < horizon
      limit at_most - total for update skip locked)
    delete from app.removals r using old o
    where r.studio_id = studio and r.resource = o.resource and r.id = o.id and r.reason = o.reason;
    get diagnostics purged = row_count;
    if purged > 0 then
      update access.studio_moves m set removals_since = horizon
      where m.studio_id = studio and m.removals_since < horizon;
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
  update access.studio_moves m set removals_since = app.stamp() + interval '10 seconds'
  where m.removals_since is not null and exists (select from app.sync_state s where s.history is not null);
  update app.sync_state s
  set history = forget_removals.history,
      removals_since = case when s.history is null then s.removals_since else app.stamp() + interval '10 seconds' end;
  perform app.add_data_version(array(select s.id from app.studios s order by s.id));
end
$$;

comment on function app.forget_removals(text) is 'Has every client read everything again, after a restore or a failover.';
--! EndIncluded app/functions/forget_removals.sql
--! Included access/functions/remove_rows.sql
-- Removes rows of a studio whose removal has begun, about as many as at_most in a transaction; returns their number: call it until it
-- returns 0, when the studio itself is gone. The studio's audit log and the log of its analysts stay; of its people access.forget_people()
-- keeps what other studios need. Raises SI404 before access.begin_removal(), SI409 as long as a login of an analyst is left.
create or replace function access.remove_rows(studio_id uuid, at_most integer default 1000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  part text;
  removed bigint;
  people uuid[];
begin
  perform from app.studios s where s.id = studio_id and s.removed_at is not null for no key update;
  if not found then
    if exists (select from app.studios s where s.id = studio_id) then
      raise exception 'the removal of the studio has not begun' using errcode = 'SI404';
    end if;
    return 0;
  end if;
  if exists (select from access.analyst_logins l where l.studio_id = studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
  perform access.enter_studio(studio_id);
  foreach part in array array['access.console_uploads', 'app.closed_values', 'app.closings', 'app.market_value_history',
    'app.maintenance_records', 'app.policy_assignments', 'app.items', 'app.policies', 'app.locations', 'app.removals',
    'access.request_activity', 'access.tokens', 'app.item_counts', 'app.maintenance_counts', 'app.count_changes']
  loop
    execute pg_catalog.format(
      'delete from %1$s t where t.studio_id = $1 and t.ctid = any (array(
         select d.ctid from %1$s d where d.studio_id = $1 limit $2))', part)
    using studio_id, at_most;
    get diagnostics removed = row_count;
    exit when removed > 0;
  end loop;

  if removed = 0 then
    delete from app.data_versions d where d.studio_id = studio_id;
    with former as (delete from access.members m where m.studio_id = studio_id returning m.user_id)
    select pg_catalog.array_agg(f.user_id) into people from former f;
    delete from access.subscriptions s where s.studio_id = studio_id;
    delete from app.studios s where s.id = studio_id;
    -- What is removed moves no more, and may come back from the cell that it had moved to.
    update access.studio_moves m set state = 'aborted', changed_at = pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp())
    where m.studio_id = studio_id and m.direction = 'leaving' and m.state = 'copying';
    removed := 1;
    perform access.forget_people(studio_id, people);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return removed;
end
$$;

comment on function access.remove_rows(uuid, integer) is 'Removes rows of a studio whose removal has begun.';
--! EndIncluded access/functions/remove_rows.sql
--! Included access/functions/current_version.sql
-- The version of everything that may be answered for the session's studio (access.studio_versions): null when the session has none.
create or replace function access.current_version() returns text
language sql stable security definer
set search_path = ''
return (select v.version from access.studio_versions v where v.studio_id = access.current_studio_id());

comment on function access.current_version() is 'The version of everything that may be answered for the session''s studio.';
--! EndIncluded access/functions/current_version.sql
--! Included access/functions/find_studio.sql
-- The id of the studio with this id or name (any case). Raises SI404 when there is none, SI409 when several share the name.
create or replace function access.find_studio(name_or_id text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  matches uuid[];
begin
  select pg_catalog.array_agg(s.id) into matches
  from app.studios s
  where (s.id::text = pg_catalog.lower(name_or_id) or pg_catalog.lower(s.name) = pg_catalog.lower(name_or_id))
    and not access.has_left(s.id);
  if matches is null then
    raise exception 'there is no studio %', pg_catalog.quote_literal(name_or_id) using errcode = 'SI404';
  elsif pg_catalog.cardinality(matches) > 1 then
    raise exception 'several studios are named %', pg_catalog.quote_literal(name_or_id)
      using errcode = 'SI409', hint = 'Give the id: ' || pg_catalog.array_to_string(matches, ', ');
  end if;
  return matches[1];
end
$$;

comment on function access.find_studio(text) is 'The id of the studio with this id or name.';
--! EndIncluded access/functions/find_studio.sql
--! Included access/functions/token_prefixes.sql
-- The first eight bytes of the digest of every token that was issued since a moment and is not revoked, one after the other, and
-- the moment to ask with next. With them a process tells tokens that may be good from guesses, without asking for each. They
-- authenticate nothing, and say no more of a token than its digest does. The hour is for transactions that issue and stay open. A studio
-- that has come from another cell brings tokens that were issued before.
create or replace function access.token_prefixes(since timestamptz) returns table (prefixes bytea, next_since timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select
    coalesce(pg_catalog.string_agg(pg_catalog.substr(t.digest, 1, 8), ''::bytea), ''::bytea),
    pg_catalog.now() - interval '1 hour'
  from access.tokens t
  where t.revoked_at is null
    and (t.created_at >= since or t.studio_id in (
      select m.studio_id from access.studio_moves m where m.state in ('landed', 'active') and m.changed_at >= since))
$$;

comment on function access.token_prefixes(timestamptz) is
  'The first bytes of the digests of the tokens issued since a moment, to tell them from guesses.';
--! EndIncluded access/functions/token_prefixes.sql
--! Included app/functions/require_writable.sql
-- Trigger, before a statement on a studio's data: refuses it when a move has stopped the writes of the session's studio. That the rows
-- are of this studio app.require_session() sees to. Raises SI503.
create or replace function app.require_writable() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if studio is not null then
    perform access.require_writable(studio);
  end if;
  return null;
end
$$;

comment on function app.require_writable() is 'Trigger: refuses a statement when a move has stopped the writes of the studio.';
--! EndIncluded app/functions/require_writable.sql
--! Included valuation/functions/next_due.sql
-- The studio_hash of the next studio in which an item is due: time alone has changed its value, on the studio's own calendar. With
-- rebuild_missing also one in which the projection of an item is missing. Null when there is none after that one (null:
-- from the first). A studio_hash tells whoever goes from one studio to the next of no studio's id.
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
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if exists (select from valuation.due_items(rebuild_missing, 1)) and access.accepts_writes(studio.id) then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_due(integer, boolean) is
  'The studio_hash of the next studio in which time alone has changed the value of an item.';
--! EndIncluded valuation/functions/next_due.sql
--! Included valuation/functions/next_to_close.sql
-- The studio_hash of the next studio that has a month to close; null when there is none after that one (null: from the first):
-- as valuation.next_due().
create or replace function valuation.next_to_close(after integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if valuation.month_to_close() is not null and access.accepts_writes(studio.id) then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_to_close(integer) is 'The studio_hash of the next studio that has a month to close.';
--! EndIncluded valuation/functions/next_to_close.sql
--! Included app/triggers/studios.sql
-- The triggers of app.studios. Triggers of one event run in the order of their names.
create or replace trigger a_accept before update or delete on app.studios
  for each row execute function access.require_writable_studio('id');
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
create or replace trigger a_accept before insert or update or delete on app.locations
  for each statement execute function app.require_writable();
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

create or replace trigger refuse_cycle_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.refuse_cycle();
create or replace trigger refuse_cycle_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.refuse_cycle();
--! EndIncluded app/triggers/locations.sql
--! Included app/triggers/items.sql
-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_accept before insert or update or delete on app.items
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert or update or delete on app.items
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.items
  for each row execute function app.store_document();
-- Always: who writes past the triggers, as replication does, would leave documents of other rows behind.
alter table app.items enable always trigger d_store_document;

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
--! Included app/triggers/item_photos.sql
-- The triggers of app.item_photos. Triggers of one event run in the order of their names.
create or replace trigger a_accept before insert or update or delete on app.item_photos
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert or update or delete on app.item_photos
  for each row execute function app.require_session();

create or replace trigger touch_items_inserted after insert on app.item_photos
  referencing new table as changed for each statement execute function app.touch_photographed_items();
create or replace trigger touch_items_updated after update on app.item_photos
  referencing old table as before new table as changed for each statement
  execute function app.touch_photographed_items();
create or replace trigger touch_items_deleted after delete on app.item_photos
  referencing old table as before for each statement execute function app.touch_photographed_items();
--! EndIncluded app/triggers/item_photos.sql
--! Included app/triggers/item_valuations.sql
-- The triggers of app.item_valuations. Triggers of one event run in the order of their names.
create or replace trigger a_accept before insert or update or delete on app.item_valuations
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert or update or delete on app.item_valuations
  for each row execute function app.require_session();

create or replace trigger clear_coverage after delete on app.item_valuations
  referencing old table as before for each statement execute function app.clear_coverage();
--! EndIncluded app/triggers/item_valuations.sql
--! Included app/triggers/market_values.sql
-- The triggers of app.market_values. Triggers of one event run in the order of their names.
create or replace trigger a_accept before insert or update or delete on app.market_values
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert or update or delete on app.market_values
  for each row execute function app.require_session();

create or replace trigger copy_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.copy_market_values();

create or replace trigger record_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.record_market_values();
--! EndIncluded app/triggers/market_values.sql
--! Included app/triggers/market_value_history.sql
-- The triggers of app.market_value_history: what is written stays.
create or replace trigger a_accept before insert or update or delete on app.market_value_history
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert on app.market_value_history
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.market_value_history
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.market_value_history
  for each statement execute function app.keep();
--! EndIncluded app/triggers/market_value_history.sql
--! Included app/triggers/closings.sql
-- The triggers of app.closings and app.closed_values: what is closed stays.
create or replace trigger a_accept before insert or update or delete on app.closings
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert on app.closings
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closings
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closings
  for each statement execute function app.keep();

create or replace trigger a_accept before insert or update or delete on app.closed_values
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert on app.closed_values
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closed_values
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closed_values
  for each statement execute function app.keep();
--! EndIncluded app/triggers/closings.sql
--! Included app/triggers/maintenance_records.sql
-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_accept before insert or update or delete on app.maintenance_records
  for each statement execute function app.require_writable();
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.maintenance_records
  for each row execute function app.store_document();
-- Always: who writes past the triggers, as replication does, would leave documents of other rows behind.
alter table app.maintenance_records enable always trigger d_store_document;

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
create or replace trigger a_accept before insert or update or delete on app.policies
  for each statement execute function app.require_writable();
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
create or replace trigger a_accept before insert or update or delete on app.policy_assignments
  for each statement execute function app.require_writable();
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
--! Included access/triggers/audit_log.sql
-- spec: "Issuance and revocation are both written to the studio's audit log." What is written stays.
create or replace trigger append_only before update or delete on access.audit_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.audit_log
  for each statement execute function access.refuse_change();
create or replace trigger a_accept before insert on access.audit_log
  for each row execute function access.require_writable_studio('studio_id');
--! EndIncluded access/triggers/audit_log.sql
--! Included access/triggers/subscriptions.sql
-- The account shows the plan and its period: the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');

-- A plan shows all locations, or the default one alone.
create or replace trigger change_plan after insert or update of plan on access.subscriptions
  for each row execute function access.change_plan();

create or replace trigger a_accept before insert or update or delete on access.subscriptions
  for each row execute function access.require_writable_studio('studio_id');

-- A removal is not undone.
create or replace trigger keep_archived before insert or update on access.subscriptions
  for each row execute function access.keep_archived();
--! EndIncluded access/triggers/subscriptions.sql
--! Included access/triggers/members.sql
-- The trigger of access.members: while a move has stopped the writes of a studio, its members stay as they are.
create or replace trigger a_accept before insert or update or delete on access.members
  for each row execute function access.require_writable_studio('studio_id');
--! EndIncluded access/triggers/members.sql
--! Included access/triggers/tokens.sql
-- The trigger of access.tokens: while a move has stopped the writes of a studio, its tokens stay as they are. Their use is recorded
-- meanwhile.
create or replace trigger a_accept before insert or delete or update of studio_id, name, tier, prefix, digest, issued_by, scope_user_id,
  created_at, revoked_at, revoked_by, expires_at, addresses on access.tokens
  for each row execute function access.require_writable_studio('studio_id');
--! EndIncluded access/triggers/tokens.sql
--! Included access/triggers/analyst_logins.sql
-- Who was mapped to which studio, from when to when, is kept for ever: a statement in the server's log stays attributable
-- when its login is long gone.
create or replace trigger log after insert or update or delete on access.analyst_logins
  for each row execute function access.log_analyst();
create or replace trigger append_only before update or delete on access.analyst_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.analyst_log
  for each statement execute function access.refuse_change();
create or replace trigger a_accept before insert or update or delete on access.analyst_logins
  for each row execute function access.require_writable_studio('studio_id');
--! EndIncluded access/triggers/analyst_logins.sql
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
grant select (studio_id, month_end, closed_at) on app.closings to studio_graphql;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.current_version, access.clock, access.history, access.open_analyst_session,
  access.open_login_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql

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
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id(),
    pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer), pg_catalog.pg_advisory_xact_lock_shared(integer, integer)
    to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
