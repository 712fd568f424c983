-- Gives the first day of the financial year in which a day is. Financial years begin with the month
-- that is given.
create or replace function valuation.year_of(day date, first_month integer) returns date
language sql immutable security invoker parallel safe
return pg_catalog.make_date(
  pg_catalog.date_part('year', day)::integer
    - case when pg_catalog.date_part('month', day)::integer < first_month then 1 else 0 end, first_month, 1);

comment on function valuation.year_of(date, integer) is 'The first day of the financial year in which a day is.';
