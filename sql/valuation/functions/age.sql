-- Months of depreciation that an item has at the beginning of a day; each month counts at its end.
-- Negative before depreciation starts.
create or replace function valuation.age(plan valuation.plan, as_of date) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  months integer;
  month date;
  first_year date;
  this_year date;
begin
  if plan.convention <> 'day' then
    months := valuation.whole_months(plan.starts_on, as_of);
    return case when plan.convention = 'mid_month' and months > 0 then months - 0.5 else months end;
  end if;
  month := as_of - (pg_catalog.date_part('day', as_of)::integer - 1);
  if month <= plan.starts_on then
    return case when as_of < plan.starts_on then -1 else 0 end;
  end if;
  first_year := valuation.year_of(plan.starts_on, plan.year_starts);
  this_year := valuation.year_of(month, plan.year_starts);
  return plan.first_year_months - 12
    + 12 * (pg_catalog.date_part('year', this_year) - pg_catalog.date_part('year', first_year))::integer
    + 12::numeric(42,40) * (month - this_year) / ((this_year + interval '1 year')::date - this_year);
end
$$;

comment on function valuation.age(valuation.plan, date) is 'How many months of depreciation an item has at the beginning of a day.';
