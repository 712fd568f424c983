-- Applies the rules of valuation to one item as of a day, past or to come, and says how: depreciation, value source, coverage
-- state and gap (estimated minus insured value; negative when more is declared than the item is worth). Useful life and residual
-- value come from the item, else from its category. Pure, and never raises for a stored item.
-- market_value is the one that was known by then; null for none.
-- financial_year_start_month (1 to 12) is the first month of the studio's financial year; null when it names none. With
-- it, months count as they do in the books: from the first of the month of acquisition, which counts as a whole one.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.work_out(
  item app.items, category app.categories, market_value numeric, as_of date, financial_year_start_month integer
)
returns valuation.workings
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  w valuation.workings;
  d valuation.depreciation;
  first_year_months integer := 12;
begin
  w.market_value := market_value;
  w.useful_life_months := coalesce(item.useful_life_months, category.useful_life_months);
  w.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  if item.depreciation_method <> 'none' and item.acquisition_date is not null then
    w.depreciates_from := item.acquisition_date;
    if financial_year_start_month is not null then
      w.depreciates_from := item.acquisition_date - (extract(day from item.acquisition_date)::integer - 1);
      -- From the month of acquisition to the last of that financial year.
      first_year_months :=
        12 - (extract(month from w.depreciates_from)::integer - financial_year_start_month + 12) % 12;
    end if;
    w.months := valuation.whole_months(w.depreciates_from, as_of);
    d := valuation.depreciate(
      item.depreciation_method, item.purchase_price, w.months, w.useful_life_months, w.residual_value, first_year_months);
    w.annual_rate := d.annual_rate;
    w.opening_value := d.opening_value;
    w.charge := d.charge;
    w.period_months := d.period_months;
    w.months_in_period := d.months_in_period;
    w.depreciated_value := d.value;
  end if;

  w.value_source := valuation.value_source(
    market_value, item.manual_value, w.depreciated_value, item.purchase_price, item.replacement_cost);
  w.current_estimated_value := case w.value_source
    when 'market' then market_value
    when 'manual' then item.manual_value
    when 'depreciated' then w.depreciated_value
    when 'purchase_price' then item.purchase_price
    when 'replacement_cost' then item.replacement_cost
  end;
  w.coverage_state := valuation.coverage_state(w.current_estimated_value, item.reported_insured_value);
  w.gap_amount := w.current_estimated_value - item.reported_insured_value;

  -- The value has more to lose: it changes with the next whole month.
  if w.value_source = 'depreciated' and w.depreciated_value > least(w.residual_value, item.purchase_price)
     and w.months < w.useful_life_months then
    w.revalue_on :=
      (w.depreciates_from + pg_catalog.make_interval(months => greatest(w.months, 0) + 1))::date;
  end if;
  return w;
end
$$;

comment on function valuation.work_out(app.items, app.categories, numeric, date, integer) is
  'Applies the rules of valuation to one item as of a day, and says how.';
