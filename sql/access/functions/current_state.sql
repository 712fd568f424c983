-- What a statement sees, as a text: which server it is and since when it runs, the snapshot, and the second of the clock. Two
-- statements of the same state see the same rows and find the same time up to a second, so that what is read by both is the same,
-- unless it changes within that second by the clock alone.
--   The snapshot tells which transactions are visible: every commit makes another. The server's start tells its snapshots from those
--   of a server that took over from it.
create or replace function access.current_state() returns text
language sql stable security invoker
return extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.pg_current_snapshot() || ' '
  || pg_catalog.floor(extract(epoch from access.clock()));

comment on function access.current_state() is 'What a statement sees, as a text: two statements of the same state see the same.';
