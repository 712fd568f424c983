-- The moment before which nothing can still become visible to this snapshot, in one row: whatever it does not see, of
-- transactions that are open or yet to come, is stamped at or after it (app.stamp()). To the millisecond, one or two seconds
-- ago; older while a transaction that writes is open, by as long as that one. Never later than now. Null when there was no
-- heartbeat yet.
-- Behind one that is older than all heartbeats it is the moment of the first of them: none was announced before that one, so
-- nothing that is not visible has an earlier stamp. (The migration that made app.stamp() locked out whoever wrote without it.)
-- It is right for whatever the same statement reads, on a replica too, where it is the replica's own. A view, so that it
-- becomes part of the statement that reads it: a function's statement is started for each call.
create or replace view access.current_watermark with (security_invoker = true) as
select least(
  coalesce(
    (select h.at from app.heartbeats h
     where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1),
    (select h.at from app.heartbeats h order by h.xid limit 1)),
  case when exists (select from app.heartbeats) then pg_catalog.date_trunc('milliseconds', pg_catalog.now()) end) as at;

comment on view access.current_watermark is 'The moment before which nothing can still become visible to this snapshot.';
