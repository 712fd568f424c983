-- Moves the watermark: called once a second by every process of the service; one of them writes.
-- Each heartbeat writes down the moment that the one before it announced, and announces a later
-- one. So a transaction with a greater id than that of a heartbeat has begun to write after its
-- moment was announced, and stamps no earlier (app.stamp()). It also notices that the database
-- continues another history than that of the last heartbeat, after a restore or a failover: then
-- what clients know may never have been, and app.forget_removals() has them read everything again.
-- Its heartbeats are only of use on a server that counts transactions on from there: a standby that
-- takes over does, with those that were prepared; a server into which a dump is restored does not.
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

  -- No snapshot will need these: all before the newest heartbeat that is behind every open
  -- transaction.
  delete from app.heartbeats h where h.xid < (
    select k.xid from app.heartbeats k
    where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by k.xid desc limit 1);
end
$$;

comment on function access.heartbeat() is 'Moves the watermark; called once a second.';
