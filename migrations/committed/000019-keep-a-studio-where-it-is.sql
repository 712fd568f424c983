--! Previous: sha1:3e28d65ec105ebde29582f00e831a61c34fed4b7
--! Hash: sha1:e3120162775b6bef2fdf11132862eb9218efa273
--! Message: keep a studio where it is

-- A studio no longer moves to another database: nothing asks whether it may be written, and no moves are kept.
set local role studio_owner;

--! Included access/functions/removals_since.sql
-- Since when removals are known without a gap.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (select s.removals_since from app.sync_state s);

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
    removed := 1;
    perform access.forget_people(studio_id, people);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return removed;
end
$$;

comment on function access.remove_rows(uuid, integer) is 'Removes rows of a studio whose removal has begun.';
--! EndIncluded access/functions/remove_rows.sql
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
  where s.id::text = pg_catalog.lower(name_or_id) or pg_catalog.lower(s.name) = pg_catalog.lower(name_or_id);
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
-- authenticate nothing, and say no more of a token than its digest does. The hour is for transactions that issue and stay open.
create or replace function access.token_prefixes(since timestamptz) returns table (prefixes bytea, next_since timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select
    coalesce(pg_catalog.string_agg(pg_catalog.substr(t.digest, 1, 8), ''::bytea), ''::bytea),
    pg_catalog.now() - interval '1 hour'
  from access.tokens t
  where t.revoked_at is null and t.created_at >= since
$$;

comment on function access.token_prefixes(timestamptz) is
  'The first bytes of the digests of the tokens issued since a moment, to tell them from guesses.';
--! EndIncluded access/functions/token_prefixes.sql
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
    if exists (select from valuation.due_items(rebuild_missing, 1)) then
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
    if valuation.month_to_close() is not null then
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

drop trigger if exists a_accept on app.studios;
drop trigger if exists a_accept on app.locations;
drop trigger if exists a_accept on app.items;
drop trigger if exists a_accept on app.item_photos;
drop trigger if exists a_accept on app.item_valuations;
drop trigger if exists a_accept on app.market_values;
drop trigger if exists a_accept on app.market_value_history;
drop trigger if exists a_accept on app.closings;
drop trigger if exists a_accept on app.closed_values;
drop trigger if exists a_accept on app.maintenance_records;
drop trigger if exists a_accept on app.policies;
drop trigger if exists a_accept on app.policy_assignments;
drop trigger if exists a_accept on access.audit_log;
drop trigger if exists a_accept on access.subscriptions;
drop trigger if exists a_accept on access.members;
drop trigger if exists a_accept on access.tokens;
drop trigger if exists a_accept on access.analyst_logins;

drop function if exists app.require_writable();
drop function if exists access.require_writable_studio();
drop function if exists access.require_writable(uuid);
drop function if exists access.accepts_writes(uuid);
drop function if exists access.has_left(uuid);
drop function if exists access.current_version();
drop table if exists access.studio_moves, access.move_marks;

reset role;

do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    revoke execute on function pg_catalog.pg_try_advisory_xact_lock_shared(integer, integer),
      pg_catalog.pg_advisory_xact_lock_shared(integer, integer) from studio_owner;
  end if;
end
$$;
