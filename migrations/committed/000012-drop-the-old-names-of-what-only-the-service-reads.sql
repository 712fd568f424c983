--! Previous: sha1:b0f6639807b5a0042dcd575e825afc1c57dc0546
--! Hash: sha1:4df976d047e154fc0895e462d4ee19a77a7704a1
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
