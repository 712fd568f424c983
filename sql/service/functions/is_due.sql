-- Whether maintenance is due in a range of days. Completed records are not, whenever they were due.
--   after, before   the days around the range; null: no limit
create or replace function service.is_due(status text, scheduled_date date, after date, before date) returns boolean
language sql immutable security invoker
return status = 'scheduled' and scheduled_date > coalesce(after, '-infinity') and scheduled_date < coalesce(before, 'infinity');

comment on function service.is_due(text, date, date, date) is 'Whether maintenance is scheduled between two days.';
