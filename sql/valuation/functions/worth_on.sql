-- The book value of an item at the beginning of a day, by its plan.
create or replace function valuation.worth_on(item app.items, category app.categories, studio app.studios, as_of date) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  plan valuation.plan := valuation.plan_of(item, category, studio);
  age numeric := greatest(valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, as_of), 0);
begin
  return valuation.worth(valuation.depreciate(plan, age, age), age, plan.decimals);
end
$$;

comment on function valuation.worth_on(app.items, app.categories, app.studios, date) is
  'The value of an item that depreciates at the beginning of a day, by its plan.';
