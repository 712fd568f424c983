-- What a statement sees, as a text: the server and since when it runs, the database, the snapshot, and the second of the clock. Two
-- statements of the same state see the same rows and find the same time up to a second, so that what is read by both is the same,
-- unless it changes within that second by the clock alone. Of rows only: sequences, settings and statistics are in no snapshot.
--   The snapshot tells which transactions are visible: every commit makes another. The start tells the snapshots of a server from those of
--   one that took over; after the crash of a process, which leaves the start as it is, the second does.
-- Null on a standby, whose snapshots do not show all the transactions that are open.
create or replace function access.current_state() returns text
language sql stable security invoker
return case when not pg_catalog.pg_is_in_recovery() then
  extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.current_database() || ' '
  || pg_catalog.pg_current_snapshot() || ' ' || pg_catalog.floor(extract(epoch from access.clock()))
end;

comment on function access.current_state() is
  'What a statement sees, as a text: two statements of the same state see the same. Null on a standby.';
