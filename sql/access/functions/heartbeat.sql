-- Moves the watermark. Every process of the service calls it once a second; one of them writes. A
-- heartbeat stores the moment that the previous one announced, and announces a later one. So a
-- transaction with a greater id began to write after that announcement, and its stamps are not
-- earlier (app.stamp()). While the clock is behind, because somebody has set it back, announcements
-- move by 10 ms: a row that changes several times between two heartbeats gets stamps 1 ms apart, and
-- polls must not stay behind them. After a restore or failover the database has another history, so
-- clients may hold changes that it lacks: app.forget_removals() makes them read everything again.
-- The old heartbeats stay valid only if the server continues the transaction ids: a promoted standby
-- does, a restored dump does not.
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
    return; -- Another process has just written the heartbeat.
  end if;

  if history is distinct from last_history then
    if pg_catalog.split_part(history, '/', 1) is distinct from pg_catalog.split_part(last_history, '/', 1) then
      delete from app.heartbeats h; -- In this history, their transaction ids have no meaning.
    end if;
    perform app.forget_removals(history);
  end if;

  insert into app.heartbeats (xid, at)
  values (pg_catalog.pg_current_xact_id(), timestamptz 'epoch' + announced * interval '1 millisecond');
  perform pg_catalog.setval('app.announced_moment', greatest(clock, announced + 10));

  -- Snapshots use the newest heartbeat that is older than every open transaction. No snapshot will
  -- need one before that.
  delete from app.heartbeats h where h.xid < (
    select k.xid from app.heartbeats k
    where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by k.xid desc limit 1);
end
$$;

comment on function access.heartbeat() is 'Moves the watermark; called once a second.';
