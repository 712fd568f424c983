-- Compares a closed month of the session's studio with what today's records give for it.
-- Returns one row for each item that differs, with the inputs that changed. If somebody added the item
-- since, its closed columns are null; if somebody removed it, the corrected ones are.
--   difference  null if the studio's currency was another when the month was closed
create or replace function valuation.corrections_of(month_end date)
returns table (
  item_id uuid, name text, category text, closed_currency text, closed_value numeric, closed_value_source text,
  closed_insured_value numeric, closed_coverage_state text, currency text, corrected_value numeric, corrected_value_source text,
  corrected_insured_value numeric, corrected_coverage_state text, difference numeric, changed text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    coalesce(c.item_id, (v.item).id), coalesce((v.item).name, c.name), coalesce((v.item).category, c.category),
    c.currency, c.current_estimated_value, c.value_source, c.reported_insured_value, c.coverage_state,
    (v.studio).currency, (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.item).reported_insured_value,
    (v.breakdown).coverage_state,
    case when c.currency <> (v.studio).currency then null
      else round(coalesce((v.breakdown).current_estimated_value, 0) - coalesce(c.current_estimated_value, 0),
        app.minor_units(coalesce((v.studio).currency, c.currency))) end,
    case when c.item_id is null then array['added'] when (v.item).id is null then array['removed'] else array(
      select input.name
      from (values
        ('currency', c.currency, (v.studio).currency),
        ('purchase_price', trim_scale(c.purchase_price)::text, trim_scale((v.item).purchase_price)::text),
        ('acquisition_date', c.acquisition_date::text, (v.item).acquisition_date::text),
        ('depreciation_method', c.depreciation_method, (v.breakdown).depreciation_method),
        ('useful_life_months', c.useful_life_months::text, (v.breakdown).useful_life_months::text),
        ('residual_value', trim_scale(c.residual_value)::text, trim_scale((v.breakdown).residual_value)::text),
        ('financial_year_start_month', c.financial_year_start_month::text, (v.studio).financial_year_start_month::text),
        ('depreciation_rate', trim_scale(c.depreciation_rate)::text, trim_scale((v.breakdown).given_rate)::text),
        ('switches_to_straight_line', c.switches_to_straight_line::text, (v.breakdown).switches::text),
        ('first_period', c.first_period, (v.studio).first_period),
        ('market_value', trim_scale(c.market_value)::text, trim_scale((v.breakdown).market_value)::text),
        ('manual_value', trim_scale(c.manual_value)::text, trim_scale((v.item).manual_value)::text),
        ('replacement_cost', trim_scale(c.replacement_cost)::text, trim_scale((v.item).replacement_cost)::text),
        ('reported_insured_value', trim_scale(c.reported_insured_value)::text, trim_scale((v.item).reported_insured_value)::text)
      ) as input (name, closed, now)
      where input.closed is distinct from input.now) end
  from (select * from api_v1.closed_values where closed_values.month_end = corrections_of.month_end) as c
  full join valuation.value_items(corrections_of.month_end) as v on (v.item).id = c.item_id
  where c.item_id is distinct from (v.item).id
    or c.currency is distinct from (v.studio).currency
    or c.current_estimated_value is distinct from (v.breakdown).current_estimated_value
    or c.value_source is distinct from (v.breakdown).value_source
    or c.reported_insured_value is distinct from (v.item).reported_insured_value
    or c.coverage_state is distinct from (v.breakdown).coverage_state;
end;

comment on function valuation.corrections_of(date) is
  'What the rules say today of a closed month, where that is not what was closed.';
