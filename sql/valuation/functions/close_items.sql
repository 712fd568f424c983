-- Closes items of the session's studio: stores their values at the end of a month, with their inputs, where
-- they are not to the byte what the latest row of the item says. An item that is not in the inventory,
-- and of which the latest row says that it is, gets a row that says so.
--   items, estimated_value, reported_insured_value   the number of those in the inventory, and their sums
create or replace function valuation.close_items(
  month_end date, item_ids uuid[], out items integer, out estimated_value numeric, out reported_insured_value numeric
)
language sql volatile security definer
set search_path = ''
begin atomic
  with held as materialized (
    select
      (v.item).studio_id, (v.item).id, (v.item).name, (v.item).category, (v.studio).currency,
      (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.breakdown).coverage_state,
      (v.item).reported_insured_value::numeric, (v.item).purchase_price::numeric, (v.item).acquisition_date,
      (v.breakdown).depreciation_method, (v.breakdown).useful_life_months, (v.breakdown).residual_value,
      (v.studio).financial_year_start_month::integer, (v.breakdown).given_rate::numeric(6,3), (v.breakdown).switches,
      (v.studio).first_period, (v.breakdown).market_value, v.market_value_as_of::timestamptz(3),
      (v.item).manual_value::numeric, (v.item).replacement_cost::numeric
    from valuation.value_items(close_items.month_end) as v
    where (v.item).id = any (close_items.item_ids)
  ), former as (
    select
      latest.studio_id, latest.item_id, latest.described_in,
      row(latest.current_estimated_value::numeric, latest.market_value::numeric, latest.market_value_as_of) as figures,
      row(d.name, d.category, d.currency, d.value_source, d.coverage_state, d.reported_insured_value::numeric,
        d.purchase_price::numeric, d.acquisition_date, d.depreciation_method, d.useful_life_months,
        d.residual_value::numeric, d.financial_year_start_month, d.depreciation_rate, d.switches_to_straight_line,
        d.first_period, d.manual_value::numeric, d.replacement_cost::numeric) as description
    from unnest(close_items.item_ids) as item (id)
    cross join lateral (
      select * from app.closed_values c
      where c.studio_id = (select access.current_studio_id()) and c.item_id = item.id
      order by c.month_end desc limit 1
    ) as latest
    left join app.closed_values d
      on d.studio_id = latest.studio_id and d.item_id = latest.item_id and d.month_end = latest.described_in
  ), compared as (
    -- This operator compares bytes: 90.00 is not 90.000. Both sides need the same types, hence the casts above.
    select
      h.*, coalesce(h.studio_id, f.studio_id) as of_studio, coalesce(h.id, f.item_id) as item_id,
      f.item_id is null as is_first, f.described_in,
      row(h.current_estimated_value, h.market_value, h.market_value_as_of) *= f.figures as same_figures,
      row(h.name, h.category, h.currency, h.value_source, h.coverage_state, h.reported_insured_value, h.purchase_price,
        h.acquisition_date, h.depreciation_method, h.useful_life_months, h.residual_value, h.financial_year_start_month,
        h.given_rate, h.switches, h.first_period, h.manual_value, h.replacement_cost) *= f.description as same_description
    from held h
    full join former f on f.item_id = h.id
  ), described as (
    insert into app.closed_values (
      studio_id, month_end, described_in, item_id, is_first, current_estimated_value, market_value, market_value_as_of,
      name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price, acquisition_date,
      depreciation_method, useful_life_months, residual_value, financial_year_start_month, depreciation_rate,
      switches_to_straight_line, first_period, manual_value, replacement_cost)
    select
      of_studio, close_items.month_end, close_items.month_end, item_id, is_first, current_estimated_value, market_value,
      market_value_as_of, name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price,
      acquisition_date, depreciation_method, useful_life_months, residual_value, financial_year_start_month, given_rate,
      switches, first_period, manual_value, replacement_cost
    from compared where id is not null and (described_in is null or not same_description)
  ), moved as (
    insert into app.closed_values (
      studio_id, month_end, described_in, item_id, is_first, current_estimated_value, market_value, market_value_as_of)
    select
      of_studio, close_items.month_end, case when id is not null then described_in end, item_id, false,
      current_estimated_value, market_value, market_value_as_of
    from compared
    where described_in is not null and (id is null or same_description and not same_figures)
  )
  select count(*)::integer, coalesce(sum(h.current_estimated_value), 0), coalesce(sum(h.reported_insured_value), 0)
  from held h;
end;

comment on function valuation.close_items(date, uuid[]) is 'Writes down what items were worth at the end of a month.';
