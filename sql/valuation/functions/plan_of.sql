-- The plan of an item, by the studio's financial year and its convention for the first period:
--   full_month   the month of acquisition counts whole; without a financial year, months and years
--                start on the day of acquisition
--   half_year    from the seventh month of the year of acquisition
--   mid_month    the first and the last month count half
--   day          by days of the year, from the day of acquisition
-- Life and residual value default to the category's, rate and switch to the studio's terms for the
-- category. The default rate is 150 or 200 % / useful life in years.
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
  p.starts_on := item.acquisition_date;
  if p.convention = 'full_month' and studio.financial_year_start_month is null then
    p.convention := 'item';
    p.first_year_months := 12;
  elsif p.convention = 'half_year' then
    p.starts_on := (valuation.year_of(p.starts_on, p.year_starts) + interval '6 months')::date;
    p.first_year_months := 6;
  elsif p.convention = 'day' then
    p.first_year_months := 12 - 12::numeric(42,40) * (p.starts_on - valuation.year_of(p.starts_on, p.year_starts))
      / ((valuation.year_of(p.starts_on, p.year_starts) + interval '1 year')::date
        - valuation.year_of(p.starts_on, p.year_starts));
  else
    p.starts_on := p.starts_on - (pg_catalog.date_part('day', p.starts_on)::integer - 1);
    p.first_year_months := 12 - (pg_catalog.date_part('month', p.starts_on)::integer - p.year_starts + 12) % 12
      - case when p.convention = 'mid_month' then 0.5 else 0 end;
  end if;

  t.age := 0;
  t.method := item.depreciation_method;
  t.life := coalesce(item.useful_life_months, category.useful_life_months);
  t.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, p.decimals));
  if studio.category_terms is not null then
    select c.* into of_category from pg_catalog.unnest(studio.category_terms) as c where c.category = item.category;
  end if;
  t.given_rate := coalesce(item.depreciation_rate, of_category.depreciation_rate);
  t.switches := coalesce(item.switches_to_straight_line, of_category.switches_to_straight_line, false);
  t.rate := valuation.annual_rate(t.method, t.life, t.given_rate);
  p.terms := array[t];
  if item.depreciation_changes is not null then
    foreach change in array item.depreciation_changes loop
      t.effective_on := change.effective_on;
      t.age := greatest(valuation.age(p, change.effective_on), 0);
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
