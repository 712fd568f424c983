-- Says how many months an item has depreciated by the beginning of a day, by the terms of its plan. A
-- month counts when it has ended. The number is negative before depreciation starts.
create or replace function valuation.age(
  convention text, starts_on date, first_year_months numeric, year_starts integer, as_of date
) returns numeric
language sql immutable security invoker parallel safe
return case
  when convention = 'day' then valuation.age_by_day(starts_on, first_year_months, year_starts, as_of)
  when convention = 'mid_month' and valuation.whole_months(starts_on, as_of) > 0
    then valuation.whole_months(starts_on, as_of) - 0.5
  else valuation.whole_months(starts_on, as_of)
end;

comment on function valuation.age(text, date, numeric, integer, date) is
  'How many months of depreciation an item has at the beginning of a day.';
