-- Stores the values of items of the session's studio at the end of a month, with their inputs.
create or replace function valuation.close_items(month_end date, item_ids uuid[]) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  insert into app.closed_values (
    studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source, coverage_state,
    reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method, useful_life_months,
    residual_value, financial_year_start_month, depreciation_rate, switches_to_straight_line, first_period,
    market_value, market_value_as_of, manual_value, replacement_cost)
  select
    (v.item).studio_id, close_items.month_end, (v.item).id, (v.item).name, (v.item).category, (v.studio).currency,
    (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.breakdown).coverage_state,
    (v.item).reported_insured_value, (v.breakdown).gap_amount, (v.item).purchase_price, (v.item).acquisition_date,
    (v.breakdown).depreciation_method, (v.breakdown).useful_life_months, (v.breakdown).residual_value,
    (v.studio).financial_year_start_month, (v.breakdown).given_rate, (v.breakdown).switches, (v.studio).first_period,
    (v.breakdown).market_value, v.market_value_as_of, (v.item).manual_value,
    (v.item).replacement_cost
  from valuation.value_items(close_items.month_end) as v
  where (v.item).id = any (close_items.item_ids);
end;

comment on function valuation.close_items(date, uuid[]) is 'Writes down what items were worth at the end of a month.';
