-- Why an item of the session's studio is worth what the API shows today: what the rules took, which source won, which were
-- passed over and why, and the arithmetic. No row for an item that is archived or not there.
create or replace function valuation.workings_of(item_id uuid)
returns table (
  as_of date, purchase_price numeric, acquisition_date date, depreciation_method text, useful_life_from text,
  residual_value_from text, financial_year_start_month integer, market_value_as_of timestamptz, manual_value numeric,
  replacement_cost numeric, reported_insured_value numeric, workings valuation.workings, period_starts_on date,
  passed_over text[], arithmetic text
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    today.day, i.purchase_price, i.acquisition_date, i.depreciation_method,
    case when i.useful_life_months is null then 'category' else 'item' end,
    case when i.residual_value is null then 'category' else 'item' end,
    s.financial_year_start_month::integer, i.market_value_as_of, i.manual_value, i.replacement_cost,
    i.reported_insured_value, w,
    (w.depreciates_from + pg_catalog.make_interval(
      months => least(greatest(w.months, 0), w.useful_life_months) - w.months_in_period))::date,
    (select pg_catalog.array_agg(
        p.source || ': ' || coalesce(p.value || ' comes after ' || w.value_source, p.missing) order by p.place)
      from (values
        (1, 'market', w.market_value, 'no market value'),
        (2, 'manual', i.manual_value, 'no manual value'),
        (3, 'depreciated', w.depreciated_value, case when i.depreciation_method = 'none' then 'the method is none'
          when i.purchase_price = 0 then 'no purchase price' else 'no acquisition date' end),
        (4, 'purchase_price', nullif(i.purchase_price, 0), 'no purchase price'),
        (5, 'replacement_cost', i.replacement_cost, 'no replacement cost')
      ) as p (place, source, value, missing)
      where p.source <> w.value_source),
    case w.value_source
      when 'depreciated' then pg_catalog.format('%s - %s * %s / %s = %s',
        pg_catalog.trim_scale(round(w.opening_value, 6)), pg_catalog.trim_scale(round(w.charge, 6)), w.months_in_period,
        w.period_months, w.depreciated_value)
      when 'market' then pg_catalog.format('%s, the market value of %s', w.market_value,
        (i.market_value_as_of at time zone s.timezone)::date)
      when 'manual' then pg_catalog.format('%s, as the studio values it', i.manual_value)
      when 'purchase_price' then pg_catalog.format('%s, what was paid', i.purchase_price)
      when 'replacement_cost' then pg_catalog.format('%s, what a new one costs', i.replacement_cost)
      else 'nothing is known of its value'
    end
  from app.studios s
  join app.items i on i.studio_id = s.id
  cross join lateral (select access.current_studio_today() as day) as today
  cross join lateral valuation.work_out(
    i, (select c from app.categories c where c.name = i.category), i.market_value, today.day,
    s.financial_year_start_month) as w
  where s.id = access.current_studio_id() and i.id = workings_of.item_id and i.archived_at is null;
end;

comment on function valuation.workings_of(uuid) is 'Why an item of the session''s studio is worth what the API shows today.';
