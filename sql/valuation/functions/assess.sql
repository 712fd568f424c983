-- Applies the rules of valuation to one item as of a day: depreciation, value source, coverage state and gap (estimated
-- minus insured value; negative when more is declared than the item is worth). Useful life and residual value come from
-- the item, else from its category. Never raises for a stored item.
-- financial_year_start_month (1 to 12) is the first month of the studio's financial year; null when it names none. With
-- it, months count as they do in the books: from the first of the month of acquisition, which counts as a whole one.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.assess(
  item app.items, category app.categories, as_of date, financial_year_start_month integer
)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  result valuation.assessment;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  since date := item.acquisition_date;
  first_year_months integer := 12;
  months integer;
  depreciated numeric;
begin
  if item.depreciation_method <> 'none' then
    if financial_year_start_month is not null then
      since := item.acquisition_date - (extract(day from item.acquisition_date)::integer - 1);
      -- From the month of acquisition to the last of that financial year.
      first_year_months := 12 - (extract(month from since)::integer - financial_year_start_month + 12) % 12;
    end if;
    months := valuation.whole_months(since, as_of);
    depreciated := valuation.depreciated_value(
      item.depreciation_method, item.purchase_price, months, life, residual, first_year_months);
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
     and months < life then
    result.revalue_on := (since + pg_catalog.make_interval(months => greatest(months, 0) + 1))::date;
  end if;
  return result;
end
$$;

comment on function valuation.assess(app.items, app.categories, date, integer) is
  'Applies the rules of valuation to one item as of a day.';
