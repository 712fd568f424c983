-- The state that a statement sees, as text: the server and its start, the database, the snapshot,
-- and the second of the clock. Two statements with one state see the same rows, and their times
-- differ by a second at most. So they read the same, unless something changes by the clock alone
-- within that second. The state covers rows only, because a snapshot has no sequences, settings and
-- statistics. Every commit makes another snapshot. The start tells a server from one that took
-- over. The crash of a single process does not change the start, and then the second differs. Null
-- on a standby, whose snapshots lack some open transactions.
create or replace function access.current_state() returns text
language sql stable security invoker
return case when not pg_catalog.pg_is_in_recovery() then
  extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.current_database() || ' '
  || pg_catalog.pg_current_snapshot() || ' ' || pg_catalog.floor(extract(epoch from access.clock()))
end;

comment on function access.current_state() is
  'What a statement sees, as a text: two statements of the same state see the same. Null on a standby.';
