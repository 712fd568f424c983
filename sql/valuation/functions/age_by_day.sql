-- Gives what valuation.age() gives, for the convention 'day': each day counts as its part of a year's
-- twelve months, so the number has a fraction.
create or replace function valuation.age_by_day(starts_on date, first_year_months numeric, year_starts integer, as_of date)
returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  month date := as_of - (pg_catalog.date_part('day', as_of)::integer - 1);
  first_year date;
  this_year date;
begin
  if month <= starts_on then
    return case when as_of < starts_on then -1 else 0 end;
  end if;
  first_year := valuation.year_of(starts_on, year_starts);
  this_year := valuation.year_of(month, year_starts);
  return first_year_months - 12
    + 12 * (pg_catalog.date_part('year', this_year) - pg_catalog.date_part('year', first_year))::integer
    + 12::numeric(42,40) * (month - this_year) / ((this_year + interval '1 year')::date - this_year);
end
$$;

comment on function valuation.age_by_day(date, numeric, integer, date) is
  'How many months of depreciation an item has at the beginning of a day, by days of the year.';
