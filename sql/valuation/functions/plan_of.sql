-- The plan of an item, by the studio's financial year and its convention for the first period
-- (valuation.starts_on()). Life and residual value default to the category's, rate and switch to
-- the studio's terms for the category. The default rate is 150 or 200 % / useful life in years.
create or replace function valuation.plan_of(item app.items, category app.categories, studio app.studios) returns valuation.plan
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  p valuation.plan;
  t valuation.term;
  change valuation.change;
  of_category valuation.category_terms;
begin
  if coalesce(item.purchase_price, 0) = 0 or item.acquisition_date is null
     or (item.depreciation_method = 'none' and item.depreciation_changes is null) then
    return null;
  end if;
  p.cost := item.purchase_price;
  p.decimals := studio.minor_units;
  p.convention := studio.first_period;
  p.year_starts := coalesce(studio.financial_year_start_month, 1);
  if p.convention = 'full_month' and studio.financial_year_start_month is null then
    p.convention := 'item';
  end if;
  p.starts_on := valuation.starts_on(p.convention, p.year_starts, item.acquisition_date);
  p.first_year_months := valuation.first_year_months(p.convention, p.year_starts, p.starts_on);

  t.age := 0;
  t.method := item.depreciation_method;
  t.life := coalesce(item.useful_life_months, category.useful_life_months);
  t.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, p.decimals));
  if studio.category_terms is not null then
    select c.* into of_category from pg_catalog.unnest(studio.category_terms) as c where c.category = item.category;
  end if;
  t.given_rate := coalesce(item.depreciation_rate, of_category.depreciation_rate);
  t.switches := coalesce(item.switches_to_straight_line, of_category.switches_to_straight_line, 'no');
  t.rate := valuation.annual_rate(t.method, t.life, t.given_rate);
  p.terms := array[t];
  if item.depreciation_changes is not null then
    foreach change in array item.depreciation_changes loop
      t.effective_on := change.effective_on;
      t.age := greatest(valuation.age(p.convention, p.starts_on, p.first_year_months, p.year_starts, change.effective_on), 0);
      t.method := coalesce(change.depreciation_method, t.method);
      t.life := coalesce(change.useful_life_months, t.life);
      t.residual_value := coalesce(change.residual_value, t.residual_value);
      t.given_rate := coalesce(change.depreciation_rate, t.given_rate);
      t.switches := coalesce(change.switches_to_straight_line, t.switches);
      t.rate := valuation.annual_rate(t.method, t.life, t.given_rate);
      p.terms := p.terms || t;
    end loop;
  end if;
  return p;
end
$$;

comment on function valuation.plan_of(app.items, app.categories, app.studios) is
  'How an item depreciates by its studio''s financial year and convention; null when it does not.';
