-- Gives the book value of an item at the beginning of a day, by its plan; null if no terms
-- by which it depreciates have applied by then.
create or replace function valuation.worth_on(plan valuation.plan, as_of date) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  age numeric := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, as_of);
  periods valuation.period[] := valuation.depreciate(plan, age, age);
  last valuation.period := periods[pg_catalog.cardinality(periods)];
begin
  -- The method none charges nothing, so the item keeps the value with which these terms began. If
  -- that is the cost, it has not depreciated.
  if (plan.terms[last.term]).method = 'none' and last.opening_value = plan.cost then
    return null;
  end if;
  return valuation.worth(periods, age, plan.decimals);
end
$$;

comment on function valuation.worth_on(valuation.plan, date) is
  'The value of an item that depreciates at the beginning of a day, by its plan.';
