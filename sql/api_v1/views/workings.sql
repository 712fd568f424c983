-- Why each item is worth what the API shows today. A condition on item_id skips the other items.
create or replace view api_v1.workings with (security_invoker = true) as
select
  i.id as item_id, t.today as as_of,
  i.purchase_price::numeric as purchase_price, i.acquisition_date, (e.breakdown).depreciation_method,
  (e.breakdown).useful_life_months, e.useful_life_from, (e.breakdown).residual_value::numeric as residual_value,
  e.residual_value_from, t.financial_year_start_month,
  (e.breakdown).market_value::numeric as market_value, i.market_value_as_of::timestamptz as market_value_as_of,
  e.manual_value, i.replacement_cost::numeric as replacement_cost,
  i.reported_insured_value::numeric as reported_insured_value,
  (e.breakdown).depreciates_from, pg_catalog.trim_scale((e.breakdown).months) as months,
  (e.breakdown).annual_rate, e.first_year_months,
  (e.breakdown).past_years, e.period_starts_on,
  (e.breakdown).opening_value, (e.breakdown).charge,
  pg_catalog.trim_scale((e.breakdown).months_in_period) as months_in_period,
  pg_catalog.trim_scale((e.breakdown).period_months) as period_months,
  (e.breakdown).depreciated_value::numeric as depreciated_value,
  (e.breakdown).current_estimated_value::numeric as current_estimated_value, (e.breakdown).value_source,
  (e.breakdown).coverage_state, (e.breakdown).gap_amount::numeric as gap_amount, e.passed_over,
  e.opening_arithmetic, e.charge_arithmetic, e.arithmetic, (e.breakdown).changed_on
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
-- An inner join would let the planner, which has no statistics, read the items by category.
left join valuation.current_terms() as t on t.category = i.category
-- With a sub-select, PostgreSQL could not share the items among parallel workers.
cross join lateral valuation.explain_item(
  i.purchase_price, i.acquisition_date, i.depreciation_method, i.useful_life_months, i.residual_value, i.depreciation_rate,
  i.switches_to_straight_line, i.depreciation_changes, i.market_value, i.market_value_as_of,
  -- If a later source won, there is no manual value. If the manual value won, it is the value.
  case when v.value_source in ('depreciated', 'purchase_price', 'replacement_cost', 'unknown') then null
    when v.value_source = 'manual' then v.current_estimated_value::numeric
    else valuation.manual_value_of(i.id) end,
  i.replacement_cost, i.reported_insured_value, i.category, t.useful_life_months, t.residual_rate, t.studio, t.today) as e
where i.archived_at is null;

comment on view api_v1.workings is
  'Why each item is worth what it is today: the inputs, the source that won, those passed over, the arithmetic.';
comment on column api_v1.workings.item_id is 'The item, joins items.id.';
comment on column api_v1.workings.as_of is 'Today on the studio''s calendar.';
comment on column api_v1.workings.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.workings.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.workings.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.workings.useful_life_months is 'Useful life in months.';
comment on column api_v1.workings.useful_life_from is 'Whose useful life that is: item or category.';
comment on column api_v1.workings.residual_value is 'Residual value, at which depreciation stops.';
comment on column api_v1.workings.residual_value_from is
  'Whose residual value that is: item or category (a share of the purchase price).';
comment on column api_v1.workings.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio has named none.';
comment on column api_v1.workings.market_value is 'The market value; null when there is none.';
comment on column api_v1.workings.market_value_as_of is
  'When the market value was last refreshed; null when there is none.';
comment on column api_v1.workings.manual_value is 'What the studio values it at; null when it does not.';
comment on column api_v1.workings.replacement_cost is 'What a new one costs; null when not recorded.';
comment on column api_v1.workings.reported_insured_value is 'Value reported as insured; 0 when none is.';
comment on column api_v1.workings.depreciates_from is
  'Day from which months count; null when the item does not depreciate.';
comment on column api_v1.workings.months is 'Months of depreciation since then; negative before.';
comment on column api_v1.workings.annual_rate is 'Annual rate of a declining method; null with another.';
comment on column api_v1.workings.first_year_months is
  'Months in the first year: 12, or those left in its financial year; null without a declining method.';
comment on column api_v1.workings.past_years is
  'Years before the period below; null without a declining method.';
comment on column api_v1.workings.period_starts_on is
  'First day of the period below: of the useful life by the straight line, else of the year.';
comment on column api_v1.workings.opening_value is 'Value at the beginning of that period, not rounded.';
comment on column api_v1.workings.charge is 'What the whole period takes off, not rounded.';
comment on column api_v1.workings.months_in_period is 'Months of the period that are over.';
comment on column api_v1.workings.period_months is 'Months in the period: by the floor of the straight line, until the residual value.';
comment on column api_v1.workings.depreciated_value is
  'opening_value - charge * months_in_period / period_months, half-up to cents.';
comment on column api_v1.workings.current_estimated_value is
  'What the item is worth today: the value of the source that won; null when unknown.';
comment on column api_v1.workings.value_source is
  'Source of the value: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.workings.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.workings.gap_amount is 'Estimated value minus insured value; null when the value is unknown.';
comment on column api_v1.workings.passed_over is 'The other sources in order, each with the reason why it does not count.';
comment on column api_v1.workings.opening_arithmetic is
  'Calculation of opening_value, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.charge_arithmetic is
  'Calculation of charge, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.changed_on is
  'Day from which method, life, residual value and rate apply; null: from the beginning.';
comment on column api_v1.workings.arithmetic is 'Calculation of the value, in one line.';
