-- Every change with a stamp before `until` is visible to this snapshot; a transaction that is open or
-- yet to come gets a stamp at or after it (app.stamp()). `at` is the same moment for a client to poll
-- from, and never later than now: what the calendar alone changes, such as a policy that begins,
-- counts from its own midnight. One row, to the millisecond. A second or two ago, or as old as the
-- oldest transaction that writes. Null before the first heartbeat. When a transaction is older than
-- all heartbeats, it is the moment of the first one: none was announced before it, so no invisible
-- row has an earlier stamp. After somebody has set back a clock that was ahead, stamps and `until`
-- are later than now for a while, so polls still return every change, some of them again.
-- It holds for everything that the same statement reads, on a replica too. A view, so that it
-- becomes part of the statement: a function's statement would start for each call.
create or replace view access.current_watermark with (security_invoker = true) as
select
  case when w.until > pg_catalog.now() then pg_catalog.date_trunc('milliseconds', pg_catalog.now()) else w.until end as at,
  w.until
from (
  select coalesce(
    (select h.at from app.heartbeats h
     where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1),
    (select h.at from app.heartbeats h order by h.xid limit 1)) as until
) as w;

comment on view access.current_watermark is 'The moment before which nothing can still become visible to this snapshot.';
