-- Deletes removals older than a number of days, of the studios after one, in the order of their ids
-- (null: of all), at most at_most removals of at most 500 studios in a transaction. Returns how many
-- it deleted, and the studio to continue after; null when it has seen every studio. Requests for
-- older removals then get a 410. Skips rows that somebody is writing to, and does nothing while
-- another session purges. Its caller must be a login that may enter studios
-- (access.current_studio_id()).
create or replace function access.purge_removals(
  days integer, inout after_studio uuid default null, at_most integer default 10000, out purged bigint
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  horizon timestamptz := pg_catalog.now() - pg_catalog.make_interval(days => days);
  seen_studio uuid;
  studio uuid;
  deleted bigint;
begin
  purged := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('access.purge_removals', 0)) then
    after_studio := null;
    return;
  end if;
  update app.sync_state s set removals_since = horizon where s.removals_since < horizon;
  for studio in
    select s.id from app.studios s where after_studio is null or s.id > after_studio order by s.id limit 500
  loop
    perform access.enter_studio(studio);
    with old as materialized (
      select r.resource, r.id, r.reason from app.removals r
      where r.studio_id = studio and r.removed_at < horizon
      limit at_most - purged for update skip locked)
    delete from app.removals r using old o
    where r.studio_id = studio and r.resource = o.resource and r.id = o.id and r.reason = o.reason;
    get diagnostics deleted = row_count;
    if deleted > 0 then
      perform app.add_data_version(array[studio]);
    end if;
    purged := purged + deleted;
    -- This studio may have more.
    exit when purged >= at_most;
    seen_studio := studio;
  end loop;
  -- Nothing is left when the last studio was seen, and not when the limit stopped it.
  if purged < at_most and (studio is null or not exists (select from app.studios s where s.id > seen_studio)) then
    after_studio := null;
  else
    after_studio := coalesce(seen_studio, after_studio, '00000000-0000-0000-0000-000000000000');
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function access.purge_removals(integer, uuid, integer) is
  'Forgets removals that are older than a number of days, in parts.';
