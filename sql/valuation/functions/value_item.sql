-- Applies the rules of valuation to one item as of a day, past or to come, and says how: depreciation, value source, coverage
-- state and gap (estimated minus insured value; negative when more is declared than the item is worth). Useful life and residual
-- value come from the item, else from its category. Pure, and never raises for a stored item.
-- market_value is the one that was known by then; null for none.
-- financial_year_start_month (1 to 12) is the first month of the studio's financial year; null when it names none. With
-- it, months count as they do in the books: from the first of the month of acquisition, which counts as a whole one.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.value_item(
  item app.items, category app.categories, market_value numeric, as_of date, financial_year_start_month integer
)
returns valuation.breakdown
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown;
  d valuation.depreciation;
begin
  b.market_value := market_value;
  b.useful_life_months := coalesce(item.useful_life_months, category.useful_life_months);
  b.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  if item.depreciation_method <> 'none' and item.acquisition_date is not null then
    b.depreciates_from := item.acquisition_date;
    b.first_year_months := 12;
    if financial_year_start_month is not null then
      b.depreciates_from := item.acquisition_date - (extract(day from item.acquisition_date)::integer - 1);
      -- From the month of acquisition to the last of that financial year.
      b.first_year_months :=
        12 - (extract(month from b.depreciates_from)::integer - financial_year_start_month + 12) % 12;
    end if;
    b.months := valuation.whole_months(b.depreciates_from, as_of);
    d := valuation.depreciate(
      item.depreciation_method, item.purchase_price, b.months, b.useful_life_months, b.residual_value,
      b.first_year_months);
    b.annual_rate := d.annual_rate;
    b.past_years := d.past_years;
    b.opening_value := d.opening_value;
    b.charge := d.charge;
    b.period_months := d.period_months;
    b.months_in_period := d.months_in_period;
    b.depreciated_value := d.value;
  end if;

  b.value_source := valuation.value_source(
    market_value, item.manual_value, b.depreciated_value, item.purchase_price, item.replacement_cost);
  b.current_estimated_value := case b.value_source
    when 'market' then market_value
    when 'manual' then item.manual_value
    when 'depreciated' then b.depreciated_value
    when 'purchase_price' then item.purchase_price
    when 'replacement_cost' then item.replacement_cost
  end;
  b.coverage_state := valuation.coverage_state(b.current_estimated_value, item.reported_insured_value);
  b.gap_amount := b.current_estimated_value - item.reported_insured_value;

  -- The value has more to lose: it changes with the next whole month.
  if b.value_source = 'depreciated' and b.depreciated_value > least(b.residual_value, item.purchase_price)
     and b.months < b.useful_life_months then
    b.revalue_on :=
      (b.depreciates_from + pg_catalog.make_interval(months => greatest(b.months, 0) + 1))::date;
  end if;
  return b;
end
$$;

comment on function valuation.value_item(app.items, app.categories, numeric, date, integer) is
  'Applies the rules of valuation to one item as of a day, and says how.';
