-- Values one item as of a day, with the derivation. Pure; never raises for a stored item.
--   market_value   as known by that day; null: none
--   gap_amount     estimated minus insured value, negative for an item declared for more
--   book_value     the depreciated value, else the purchase price
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.value_item(
  item app.items, category app.categories, studio app.studios, market_value numeric, as_of date
)
returns valuation.breakdown
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown;
  plan valuation.plan;
  periods valuation.period[];
  p valuation.period;
  t valuation.term;
begin
  b.market_value := market_value;
  if item.depreciation_method <> 'none' or item.depreciation_changes is not null then
    plan := valuation.plan_of(item, category, studio);
  end if;
  if plan.cost is null then
    b.depreciation_method := item.depreciation_method;
    b.useful_life_months := coalesce(item.useful_life_months, category.useful_life_months);
    b.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, studio.minor_units));
  else
    b.months := valuation.age(plan, as_of);
    periods := valuation.depreciate(plan, b.months, b.months);
    p := periods[pg_catalog.cardinality(periods)];
    t := plan.terms[p.term];
    b.depreciation_method := t.method;
    b.useful_life_months := t.life;
    b.residual_value := t.residual_value;
    b.depreciates_from := plan.starts_on;
    b.first_year_months := plan.first_year_months;
    b.annual_rate := t.rate;
    if t.rate is not null then
      b.given_rate := t.given_rate;
      b.switches := t.switches;
    end if;
    b.changed_on := t.effective_on;
    b.carried_value := case when p.term = 1 then plan.cost
      else valuation.worth(valuation.depreciate(plan, t.age, t.age), t.age, plan.decimals) end;
    if t.method <> 'none' or b.carried_value <> plan.cost then
      b.changed_at_age := t.age;
      b.past_years := p.past_years;
      b.began := p.began;
      b.opening_value := p.opening_value;
      b.charge := p.charge;
      b.period_months := p.months;
      b.months_in_period := least(greatest(b.months - p.began, 0), p.months);
      b.depreciated_value := valuation.worth(periods, b.months, plan.decimals);
    end if;
  end if;

  b.value_source := valuation.value_source(
    market_value, item.manual_value, b.depreciated_value, item.purchase_price, item.replacement_cost);
  b.current_estimated_value := coalesce(
    market_value, item.manual_value, b.depreciated_value, nullif(item.purchase_price, 0), item.replacement_cost);
  b.coverage_state := valuation.coverage_state(b.current_estimated_value, item.reported_insured_value);
  b.gap_amount := b.current_estimated_value - item.reported_insured_value;
  b.book_value := coalesce(b.depreciated_value, nullif(item.purchase_price, 0));

  -- While the book value falls, the next month changes it, even if it is not the estimated value.
  if b.depreciated_value > b.residual_value and t.method <> 'none' then
    b.revalue_on := case plan.convention
      when 'item' then plan.starts_on + pg_catalog.make_interval(months => greatest(b.months, 0)::integer + 1)
      else pg_catalog.date_trunc('month', greatest(as_of, plan.starts_on)::timestamp) + interval '1 month' end::date;
  end if;
  return b;
end
$$;

comment on function valuation.value_item(app.items, app.categories, app.studios, numeric, date) is
  'Applies the rules of valuation to one item as of a day, and says how.';
