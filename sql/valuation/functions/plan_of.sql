-- The plan of an item, by the studio's financial year and its convention for the first period
-- (valuation.starts_on()). An item without a life or a residual value takes those of its category.
-- One without a rate or a switch takes the studio's terms for the category. The default rate is 150
-- or 200 % / useful life in years.
create or replace function valuation.plan_of(item app.items, category app.categories, studio app.studios) returns valuation.plan
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  decimals integer := studio.minor_units;
  convention text := case when studio.first_period = 'full_month' and studio.financial_year_start_month is null then 'item'
    else studio.first_period end;
  year_starts integer := coalesce(studio.financial_year_start_month, 1);
  starts_on date;
  first_months numeric;
  age numeric := 0;
  method text := item.depreciation_method;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric;
  given_rate numeric := item.depreciation_rate;
  switches text := item.switches_to_straight_line;
  terms valuation.term[];
  change valuation.change;
begin
  if coalesce(item.purchase_price, 0) = 0 or item.acquisition_date is null
     or (item.depreciation_method = 'none' and item.depreciation_changes is null) then
    return null;
  end if;
  starts_on := valuation.starts_on(convention, year_starts, item.acquisition_date);
  first_months := valuation.first_year_months(convention, year_starts, starts_on);
  residual := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, decimals));
  if studio.category_terms is not null then
    select coalesce(given_rate, c.depreciation_rate), coalesce(switches, c.switches_to_straight_line) into given_rate, switches
    from (select item.category as name) as i
    left join pg_catalog.unnest(studio.category_terms) as c on c.category = i.name;
  end if;
  switches := coalesce(switches, 'no');
  -- PostgreSQL makes one row much faster than it sets its fields one by one.
  terms := array[(age, method, life, residual, valuation.annual_rate(method, life, given_rate), given_rate, switches,
    null)::valuation.term];
  if item.depreciation_changes is not null then
    foreach change in array item.depreciation_changes loop
      age := greatest(valuation.age(convention, starts_on, first_months, year_starts, change.effective_on), 0);
      method := coalesce(change.depreciation_method, method);
      life := coalesce(change.useful_life_months, life);
      residual := coalesce(change.residual_value, residual);
      given_rate := coalesce(change.depreciation_rate, given_rate);
      switches := coalesce(change.switches_to_straight_line, switches);
      terms := terms || (age, method, life, residual, valuation.annual_rate(method, life, given_rate), given_rate, switches,
        change.effective_on)::valuation.term;
    end loop;
  end if;
  return (item.purchase_price, decimals, starts_on, convention, year_starts, first_months, terms)::valuation.plan;
end
$$;

comment on function valuation.plan_of(app.items, app.categories, app.studios) is
  'How an item depreciates by its studio''s financial year and convention; null when it does not.';
