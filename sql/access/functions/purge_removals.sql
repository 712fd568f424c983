-- Deletes removals older than a number of days, of all studios, at most at_most in a transaction,
-- and returns their number: call it until it returns 0. Requests for older removals then get a 410.
-- Skips rows that somebody is writing to, and does nothing while another session purges. Its caller
-- must be a login that may enter studios (access.current_studio_id()).
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
