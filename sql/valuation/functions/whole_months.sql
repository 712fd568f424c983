-- Counts the whole months from one day to another: the largest n with from_day + n months <= to_day. It
-- is negative if to_day is earlier. 31 January and one month are the last day of February.
create or replace function valuation.whole_months(from_day date, to_day date) returns integer
language sql immutable security invoker parallel safe
return ((pg_catalog.date_part('year', to_day) - pg_catalog.date_part('year', from_day)) * 12
  + pg_catalog.date_part('month', to_day) - pg_catalog.date_part('month', from_day)
  - case when pg_catalog.date_part('day', from_day) > pg_catalog.date_part('day', to_day)
      and pg_catalog.date_part('day', to_day + 1) > 1 then 1 else 0 end)::integer;

comment on function valuation.whole_months(date, date) is 'Whole calendar months from one day to another.';
