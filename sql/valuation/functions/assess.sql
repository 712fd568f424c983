-- Applies the rules of valuation to one item as of a day: depreciation, value source, coverage state and gap (estimated
-- minus insured value; negative when more is declared than the item is worth). Useful life and residual value come from
-- the item, else from its category. Never raises for a stored item.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.assess(item app.items, category app.categories, as_of date)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  result valuation.assessment;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  months integer;
  depreciated numeric;
begin
  if item.depreciation_method <> 'none' then
    months := valuation.whole_months(item.acquisition_date, as_of);
    depreciated := valuation.depreciated_value(item.depreciation_method, item.purchase_price, months, life, residual);
  end if;

  result.value_source := valuation.value_source(
    item.market_value, item.manual_value, depreciated, item.purchase_price, item.replacement_cost);
  result.current_estimated_value := case result.value_source
    when 'market' then item.market_value
    when 'manual' then item.manual_value
    when 'depreciated' then depreciated
    when 'purchase_price' then item.purchase_price
    when 'replacement_cost' then item.replacement_cost
  end;
  result.coverage_state := valuation.coverage_state(result.current_estimated_value, item.reported_insured_value);
  result.gap_amount := result.current_estimated_value - item.reported_insured_value;

  -- The value has more to lose: it changes with the next whole month.
  if result.value_source = 'depreciated' and depreciated > least(residual, item.purchase_price)
     and (item.depreciation_method <> 'straight_line' or months < life) then
    result.revalue_on := (item.acquisition_date + pg_catalog.make_interval(months => greatest(months, 0) + 1))::date;
  end if;
  return result;
end
$$;

comment on function valuation.assess(app.items, app.categories, date) is
  'Applies the rules of valuation to one item as of a day.';
