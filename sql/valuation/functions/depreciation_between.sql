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
    b.id, b.name, b.category, b.acquisition_date, b.gone, b.opening_cost, b.cost - b.opening_cost, b.cost - b.closing_cost, b.closing_cost,
    b.opening_cost - b.opening_value, b.opening_value + b.cost - b.opening_cost - b.last_value,
    case when b.closing_cost = 0 then b.cost - b.last_value else 0 end,
    case when b.closing_cost = 0 then 0 else b.cost - b.last_value end,
    b.opening_value, case when b.closing_cost = 0 then 0 else b.last_value end, b.proceeds
  from (
    select
      i.id, i.name, i.category, i.acquisition_date, case when gone.on_day <= last_day then gone.on_day end as gone, t.cost,
      case when i.acquisition_date < first_day then t.cost else 0 end as opening_cost,
      case when gone.on_day <= last_day then 0 else t.cost end as closing_cost,
      case
        when i.acquisition_date >= first_day then 0
        when t.is_usual then valuation.usual_worth(t.cost, t.floor_value, t.life, t.rate, t.first_year_months, a.first_age, t.decimals)
        else valuation.worth_on(i, (select c from app.categories c where c.name = i.category), s, first_day)
      end as opening_value,
      case
        when t.is_usual then valuation.usual_worth(t.cost, t.floor_value, t.life, t.rate, t.first_year_months, a.last_age, t.decimals)
        else valuation.worth_on(i, (select c from app.categories c where c.name = i.category), s, a.ends)
      end as last_value,
      case when gone.on_day <= last_day then coalesce(i.disposal_proceeds, 0) else 0 end as proceeds
    from app.studios s
    join app.items i on i.studio_id = s.id
    left join valuation.category_terms() as c on c.name = i.category
    cross join lateral (
      select coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date) as on_day) as gone
    cross join lateral valuation.usual_terms(i, s, c.useful_life_months, c.residual_rate, c.rate, c.switches) as t
    cross join lateral (
      select d.ends,
        case when t.is_usual and i.acquisition_date < first_day
          then valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, first_day) end as first_age,
        case when t.is_usual then valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, d.ends) end as last_age
      from (select least(gone.on_day, last_day) + 1 as ends offset 0) as d
      offset 0
    ) as a
    where s.id = (select access.current_studio_id()) and first_day <= last_day
      and (i.depreciation_method <> 'none' or i.depreciation_changes is not null) and i.purchase_price <> 0
      and i.acquisition_date <= last_day and coalesce(gone.on_day >= greatest(i.acquisition_date, first_day), true)
    offset 0
  ) as b;
end;

comment on function valuation.depreciation_between(date, date) is
  'The register of what depreciates in the session''s studio from one day to another, by item.';
