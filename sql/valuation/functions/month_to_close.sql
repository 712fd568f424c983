-- Gives the last day of the oldest month that is over and that the session's studio has not closed;
-- null if it has closed all of them. The first month that a studio closes is that of closes_since.
create or replace function valuation.month_to_close() returns date
language sql stable security definer
set search_path = ''
begin atomic
  select m.last_day
  from app.studios s
  cross join lateral (select (s.closes_since at time zone s.timezone)::date as day) as since
  cross join lateral (
    select (coalesce(
      (select pg_catalog.max(c.month_end) + 1 from app.closings c where c.studio_id = s.id),
      since.day - (extract(day from since.day)::integer - 1)
    ) + interval '1 month')::date - 1 as last_day
  ) as m
  where s.id = access.current_studio_id() and m.last_day < access.current_studio_today();
end;

comment on function valuation.month_to_close() is 'The last day of the first month that the session''s studio has to close.';
