-- The day on which depreciation starts, by the convention for the first period:
--   item         on the day of acquisition: full_month without a financial year
--   full_month   the month of acquisition counts whole
--   half_year    from the seventh month of the year of acquisition
--   mid_month    the first and the last month count half
--   day          by days of the year, from the day of acquisition
create or replace function valuation.starts_on(convention text, year_starts integer, acquired date) returns date
language sql immutable security invoker parallel safe
return case convention
  when 'item' then acquired
  when 'day' then acquired
  when 'half_year' then (valuation.year_of(acquired, year_starts) + interval '6 months')::date
  else acquired - (pg_catalog.date_part('day', acquired)::integer - 1)
end;

comment on function valuation.starts_on(text, integer, date) is
  'The day on which depreciation starts, by the convention for the first period.';
