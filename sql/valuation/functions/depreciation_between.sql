-- The depreciation register of the session's studio for a range of days, one row for each item that
-- depreciates. valuation.depreciation_years() gives the same sums by year.
--   first_day, last_day   no rows if one is null or last_day is earlier
create or replace function valuation.depreciation_between(first_day date, last_day date)
returns table (
  item_id uuid, name text, category text, acquisition_date date, disposed_on date, opening_cost numeric, additions numeric,
  disposed_cost numeric, closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric,
  closing_accumulated numeric, opening_value numeric, closing_value numeric, proceeds numeric
)
language sql stable security definer
set search_path = ''
set jit = off
begin atomic
  select
    b.id, b.name, b.category, b.acquisition_date, b.gone, b.opening_cost, b.purchase_price - b.opening_cost,
    b.purchase_price - b.closing_cost, b.closing_cost,
    b.opening_cost - b.opening_value, b.opening_value + b.purchase_price - b.opening_cost - b.last_value,
    case when b.closing_cost = 0 then b.purchase_price - b.last_value else 0 end,
    case when b.closing_cost = 0 then 0 else b.purchase_price - b.last_value end,
    b.opening_value, case when b.closing_cost = 0 then 0 else b.last_value end, b.proceeds
  from (
    select
      a.*,
      case
        when a.acquisition_date >= first_day then 0
        when a.is_usual then
          valuation.usual_worth(a.purchase_price, a.floor_value, a.life, a.rate, a.first_year_months, a.first_age, a.decimals)
        else coalesce(valuation.worth_on(a.plan, first_day), a.purchase_price)
      end as opening_value,
      case
        when a.is_usual then
          valuation.usual_worth(a.purchase_price, a.floor_value, a.life, a.rate, a.first_year_months, a.last_age, a.decimals)
        else coalesce(valuation.worth_on(a.plan, a.ends), a.purchase_price)
      end as last_value
    from (
      select
        d.*, case when d.acquisition_date < first_day then d.purchase_price else 0 end as opening_cost,
        case when d.gone is not null then 0 else d.purchase_price end as closing_cost,
        case when d.gone is not null then coalesce(d.disposal_proceeds, 0) else 0 end as proceeds,
        case when d.is_usual and d.acquisition_date < first_day
          then valuation.age(d.convention, d.starts_on, d.first_year_months, d.year_starts, first_day) end as first_age,
        case when d.is_usual then valuation.age(d.convention, d.starts_on, d.first_year_months, d.year_starts, d.ends) end as last_age
      from (
        select t.*, case when t.gone_on <= last_day then t.gone_on end as gone, least(t.gone_on, last_day) + 1 as ends
        from valuation.item_terms(true, false) as t
        where first_day <= last_day and t.acquisition_date <= last_day
          and coalesce(t.gone_on >= greatest(t.acquisition_date, first_day), true)
        offset '0'
      ) as d
      offset '0'
    ) as a
    offset '0'
  ) as b;
end;

comment on function valuation.depreciation_between(date, date) is
  'The register of what depreciates in the session''s studio from one day to another, by item.';
