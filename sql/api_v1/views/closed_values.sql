-- The values at the end of each closed month: the latest row of each item at or before it, with the row that describes
-- it. A month shows only when it is completely closed. The order of months and items comes before their values, so
-- that a page does not read a whole month. The left join is always met: PostgreSQL leaves it out of a sum of values.
create or replace view api_v1.closed_values with (security_invoker = true) as
select
  held.month_end, held.item_id, d.name, d.category,
  v.current_estimated_value::numeric as current_estimated_value, d.value_source, d.coverage_state,
  d.reported_insured_value::numeric as reported_insured_value,
  v.current_estimated_value - d.reported_insured_value as gap_amount, d.currency,
  d.purchase_price::numeric as purchase_price, d.acquisition_date, d.depreciation_method, d.useful_life_months,
  d.residual_value::numeric as residual_value, d.financial_year_start_month,
  v.market_value::numeric as market_value, v.market_value_as_of, d.manual_value::numeric as manual_value,
  d.replacement_cost::numeric as replacement_cost, held.closed_at, d.depreciation_rate,
  d.switches_to_straight_line, d.first_period
from (
  select c.studio_id, c.month_end, c.closed_at, f.item_id
  from app.closings c
  join app.closed_values f on f.studio_id = c.studio_id and f.is_first and f.month_end <= c.month_end
  order by c.month_end, f.item_id
) as held
cross join lateral (
  select l.studio_id, l.item_id, l.described_in, l.current_estimated_value, l.market_value, l.market_value_as_of
  from app.closed_values l
  where l.studio_id = held.studio_id and l.item_id = held.item_id and l.month_end <= held.month_end
  order by l.month_end desc limit 1
) as v
left join app.closed_values d on d.studio_id = v.studio_id and d.item_id = v.item_id and d.month_end = v.described_in
where v.described_in is not null;

comment on view api_v1.closed_values is
  'The value of every item at the end of each closed month, with its inputs. It never changes.';
comment on column api_v1.closed_values.month_end is 'Last day of the month.';
comment on column api_v1.closed_values.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.closed_values.name is 'Name of the item at the time.';
comment on column api_v1.closed_values.category is 'Category of the item at the time.';
comment on column api_v1.closed_values.current_estimated_value is
  'What the item was worth at the end of the month; null when that was not known.';
comment on column api_v1.closed_values.value_source is
  'Where the estimate came from: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.closed_values.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.closed_values.reported_insured_value is 'Value reported as insured; 0 when none was.';
comment on column api_v1.closed_values.gap_amount is
  'Estimated value minus insured value; negative when more was declared.';
comment on column api_v1.closed_values.currency is 'Currency of the amounts, ISO 4217.';
comment on column api_v1.closed_values.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.closed_values.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.closed_values.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.closed_values.useful_life_months is 'Useful life in months, of the item or its category.';
comment on column api_v1.closed_values.residual_value is 'Residual value, of the item or its category.';
comment on column api_v1.closed_values.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio had named none.';
comment on column api_v1.closed_values.market_value is 'Market value that was known; null when there was none.';
comment on column api_v1.closed_values.market_value_as_of is 'When that market value was of; null when there was none.';
comment on column api_v1.closed_values.manual_value is 'What the studio valued it at; null when it did not.';
comment on column api_v1.closed_values.replacement_cost is 'What a new one cost; null when not recorded.';
comment on column api_v1.closed_values.depreciation_rate is
  'Rate set for a declining method, percent a year; null without one.';
comment on column api_v1.closed_values.switches_to_straight_line is
  'Whether straight line took over from a declining method: yes, no or floor; null by another method.';
comment on column api_v1.closed_values.first_period is
  'How the first period counted: full_month, half_year, mid_month or day.';
comment on column api_v1.closed_values.closed_at is
  'When the month was closed: soon after its end, or when the service ran again.';
