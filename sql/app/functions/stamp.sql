-- The moment of a change, for updated_at or removed_at: the clock, but never before the moment that
-- the last heartbeat announced. The transaction takes its id first, so every stamp is at or after
-- the moment of each heartbeat with a smaller id, even if the clock steps back; access.watermark()
-- relies on that. The moment is in a sequence, whose newest value every transaction sees, even a
-- repeatable read.
-- spec: updated_since — "Only items updated at or after it".
create or replace function app.stamp() returns timestamptz
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- This takes the transaction's id. It has only expressions, because a query would take five times
  -- as long.
  id xid8 := pg_catalog.pg_current_xact_id();
begin
  return greatest(
    pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
    timestamptz 'epoch' + pg_catalog.pg_sequence_last_value('app.announced_moment') * interval '1 millisecond');
end
$$;

comment on function app.stamp() is 'The moment that a change shows: never before one that a heartbeat announced.';
