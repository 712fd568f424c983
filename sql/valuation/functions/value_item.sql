-- Values one item as of a day, and says how. It reads no table, and never raises for a stored item.
--   market_value   the last one known by that day; null if there is none
--   gap_amount     estimated minus insured value, negative for an item declared for more
--   book_value     the depreciated value, else the purchase price
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.value_item(
  item app.items, category app.categories, studio app.studios, market_value numeric, as_of date
)
returns valuation.breakdown
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  plan valuation.plan;
  periods valuation.period[];
  p valuation.period;
  t valuation.term;
  months numeric;
  carried numeric;
  depreciates boolean := false;
  passed numeric; -- months of the period
  depreciated numeric;
  value numeric;
  revalue_on date;
begin
  if item.depreciation_method <> 'none' or item.depreciation_changes is not null then
    plan := valuation.plan_of(item, category, studio);
  end if;
  if plan.cost is not null then
    months := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, as_of);
    periods := valuation.depreciate(plan, months, months);
    p := periods[pg_catalog.cardinality(periods)];
    t := plan.terms[p.term];
    carried := case when p.term = 1 then plan.cost
      else valuation.worth(valuation.depreciate(plan, t.age, t.age), t.age, plan.decimals) end;
    depreciates := t.method <> 'none' or carried <> plan.cost;
    if depreciates then
      passed := least(greatest(months - p.began, 0), p.months);
      depreciated := round(round(p.opening_value - p.charge * passed / p.months, 20), plan.decimals);
      -- While the book value falls, the next month changes it, even if another source gives the
      -- value.
      if depreciated > t.residual_value and t.method <> 'none' then
        revalue_on := case plan.convention
          when 'item' then plan.starts_on + pg_catalog.make_interval(months => greatest(months, 0)::integer + 1)
          else pg_catalog.date_trunc('month', greatest(as_of, plan.starts_on)::timestamp) + interval '1 month' end::date;
      end if;
    end if;
  end if;
  value := coalesce(market_value, item.manual_value, depreciated, nullif(item.purchase_price, 0), item.replacement_cost);
  -- PostgreSQL makes one row much faster than it sets its fields one by one.
  return (
    case when plan.cost is null then item.depreciation_method else t.method end,
    case when plan.cost is null then coalesce(item.useful_life_months, category.useful_life_months) else t.life end,
    case when plan.cost is not null then t.residual_value
      else coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, studio.minor_units)) end,
    plan.starts_on, months, plan.first_year_months, t.rate, case when t.rate is not null then t.given_rate end,
    case when t.rate is not null then t.switches end, t.effective_on, carried,
    case when depreciates then t.age end, case when depreciates then p.past_years end, case when depreciates then p.began end,
    case when depreciates then p.opening_value end, case when depreciates then p.charge end, case when depreciates then p.months end,
    passed, depreciated, coalesce(depreciated, nullif(item.purchase_price, 0)), market_value, value,
    valuation.value_source(market_value, item.manual_value, depreciated, item.purchase_price, item.replacement_cost),
    valuation.coverage_state(value, item.reported_insured_value), value - item.reported_insured_value, revalue_on
  )::valuation.breakdown;
end
$$;

comment on function valuation.value_item(app.items, app.categories, app.studios, numeric, date) is
  'Applies the rules of valuation to one item as of a day, and says how.';
