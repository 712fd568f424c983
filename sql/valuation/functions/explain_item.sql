-- Why an item of the session's studio is worth what the API shows today: what the rules took, which source won, which were
-- passed over and why, and the arithmetic. No row for an item that is archived or not there.
-- Arithmetic is text of one line, <expression> = <result>, or an amount with what it is. It names the rate as a fraction, 24 / 60
-- for 200 % over 60 months (18 for 150 %) and 25 / 100 where it is given, because a rate in decimals may be endless; values that are not
-- rounded to cents have up to six decimals there. past_years and first_year_months are of a declining method, else null.
create or replace function valuation.explain_item(item_id uuid)
returns table (
  as_of date, purchase_price numeric, acquisition_date date, depreciation_method text, useful_life_from text,
  residual_value_from text, financial_year_start_month integer, market_value_as_of timestamptz, manual_value numeric,
  replacement_cost numeric, reported_insured_value numeric, breakdown valuation.breakdown, first_year_months numeric,
  period_starts_on date, opening_arithmetic text, charge_arithmetic text, passed_over text[], arithmetic text
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    today.day, i.purchase_price, i.acquisition_date, b.depreciation_method,
    case when i.useful_life_months is null and b.changed_on is null then 'category' else 'item' end,
    case when i.residual_value is null and b.changed_on is null then 'category' else 'item' end,
    s.financial_year_start_month::integer, i.market_value_as_of, i.manual_value, i.replacement_cost,
    i.reported_insured_value, b,
    case when b.annual_rate is not null then pg_catalog.trim_scale(b.first_year_months) end,
    case
      when b.began = 0 then b.depreciates_from
      when b.began = b.changed_at_age then b.changed_on
      when s.first_period in ('mid_month', 'day') then
        (valuation.year_of(b.depreciates_from, coalesce(s.financial_year_start_month, 1))
          + pg_catalog.make_interval(years => round((b.began - b.first_year_months) / 12)::integer + 1))::date
      else (b.depreciates_from + pg_catalog.make_interval(months => b.began::integer))::date
    end,
    case
      when b.opening_value is null then null
      when coalesce(b.past_years, 0) = 0 and b.changed_on is null then
        pg_catalog.format('%s, what was paid', i.purchase_price)
      when coalesce(b.past_years, 0) = 0 then
        pg_catalog.format('%s, carried over from %s', written.carried_value, b.changed_on)
      when b.opening_value = written.floor_value then
        pg_catalog.format('%s, the residual value: %s is not more', written.floor_value, written.product)
      else pg_catalog.format('%s = %s', written.product, written.opening_value)
    end,
    case
      when b.charge is null then null
      when b.charge = b.opening_value - written.floor_value then
        pg_catalog.format('%s - %s = %s', written.opening_value, written.floor_value, written.charge)
      else
        pg_catalog.format('%s * %s%s = %s', written.opening_value, written.rate,
          case when b.period_months < 12 then pg_catalog.format(' * %s / 12', written.period_months) end, written.charge)
    end,
    (select pg_catalog.array_agg(
        p.source || ': ' || coalesce(p.value || ' comes after ' || b.value_source, p.missing) order by p.rank)
      from (values
        (1, 'market', b.market_value, 'no market value'),
        (2, 'manual', i.manual_value, 'no manual value'),
        (3, 'depreciated', b.depreciated_value, case when b.depreciation_method = 'none' then 'the method is none'
          when i.purchase_price = 0 then 'no purchase price' else 'no acquisition date' end),
        (4, 'purchase_price', nullif(i.purchase_price, 0), 'no purchase price'),
        (5, 'replacement_cost', i.replacement_cost, 'no replacement cost')
      ) as p (rank, source, value, missing)
      where p.source <> b.value_source),
    case b.value_source
      when 'depreciated' then pg_catalog.format('%s - %s * %s / %s = %s',
        written.opening_value, written.charge, written.months_in_period, written.period_months, b.depreciated_value)
      when 'market' then pg_catalog.format('%s, the market value of %s', b.market_value,
        (i.market_value_as_of at time zone s.timezone)::date)
      when 'manual' then pg_catalog.format('%s, as the studio values it', i.manual_value)
      when 'purchase_price' then pg_catalog.format('%s, what was paid', i.purchase_price)
      when 'replacement_cost' then pg_catalog.format('%s, what a new one costs', i.replacement_cost)
      else 'nothing is known of its value'
    end
  from app.studios s
  join app.items i on i.studio_id = s.id
  cross join lateral (select access.current_studio_today() as day) as today
  cross join lateral valuation.value_item(
    i, (select c from app.categories c where c.name = i.category), s, i.market_value, today.day) as b
  cross join lateral (
    select
      case
        when b.annual_rate = 1 then '1'
        when b.given_rate is not null then pg_catalog.format('%s / 100', pg_catalog.trim_scale(b.given_rate))
        else pg_catalog.format('%s / %s',
          case b.depreciation_method when 'declining_balance' then 18 else 24 end, b.useful_life_months)
      end as rate,
      b.began - 12 * (b.past_years - 1) - b.changed_at_age as first_months
  ) as w
  cross join lateral (
    select
      w.rate,
      pg_catalog.trim_scale(round(b.opening_value, 6)) as opening_value,
      pg_catalog.trim_scale(round(b.charge, 6)) as charge,
      pg_catalog.trim_scale(round(b.months_in_period, 6)) as months_in_period,
      pg_catalog.trim_scale(round(b.period_months, 6)) as period_months,
      pg_catalog.trim_scale(b.carried_value) as carried_value,
      pg_catalog.trim_scale(least(b.residual_value, b.carried_value)) as floor_value,
      -- Full years, and a shorter first one.
      pg_catalog.trim_scale(b.carried_value)
        || case when w.first_months < 12 then pg_catalog.format(' * (1 - %s * %s / 12)', w.rate,
          pg_catalog.trim_scale(round(w.first_months, 6))) else '' end
        || case b.past_years - case when w.first_months < 12 then 1 else 0 end when 0 then ''
          when 1 then pg_catalog.format(' * (1 - %s)', w.rate)
          else pg_catalog.format(' * (1 - %s) ^ %s', w.rate,
            b.past_years - case when w.first_months < 12 then 1 else 0 end) end as product
  ) as written
  where s.id = access.current_studio_id() and i.id = explain_item.item_id and i.archived_at is null;
end;

comment on function valuation.explain_item(uuid) is 'Why an item of the session''s studio is worth what the API shows today.';
