--! Previous: sha1:7aae7a628502617c5e4c7e575958efbc8ce7edd5
--! Hash: sha1:00bc7e51ccfdf2e6cf386b820c335aebe8c0f680
--! Message: drop the old names of what only the service reads

-- The old names of what only the service reads. A call that began before the migration before this one still has the old
-- function's text, which reads them: such calls are awaited, holding no lock. None takes longer than studio_api's statement_timeout.
do $$
declare
  calls text[] := array(
    select l.virtualtransaction
    from pg_catalog.pg_locks l
    join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.granted and l.mode = 'ExclusiveLock' and a.usename = 'studio_api');
begin
  for attempt in 1 .. 1000 loop
    exit when not exists (
      select from pg_catalog.pg_locks l where l.locktype = 'virtualxid' and l.virtualtransaction = any (calls));
    perform pg_catalog.pg_sleep(0.01);
  end loop;
end
$$;

set local role studio_owner;

drop view if exists api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts,
  api_v1.maintenance_documents, api_v1.maintenance_counts;

reset role;
