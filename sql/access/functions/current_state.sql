-- The state that a statement sees, as text: the server and its start, the database, the snapshot,
-- and the second of the clock. Two statements with one state see the same rows, and times up to a
-- second apart, so both read the same, unless only the clock changes it within that second. It
-- covers rows only: snapshots have no sequences, settings and statistics. The snapshot says which
-- transactions are visible: every commit makes another. The start distinguishes a server from one
-- that took over; after the crash of a process, which does not change the start, the second does.
-- Null on a standby, whose snapshots lack some open transactions.
create or replace function access.current_state() returns text
language sql stable security invoker
return case when not pg_catalog.pg_is_in_recovery() then
  extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.current_database() || ' '
  || pg_catalog.pg_current_snapshot() || ' ' || pg_catalog.floor(extract(epoch from access.clock()))
end;

comment on function access.current_state() is
  'What a statement sees, as a text: two statements of the same state see the same. Null on a standby.';
