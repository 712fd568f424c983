-- The IAS 16.73 (d), (e) reconciliation of the session's studio by financial year (else calendar
-- year) and category, until the studio's longest useful life ends, at most in 9999.
-- It depreciates each item by its method even if the item has another value. An item leaves the
-- books on disposal or archiving; one that left before its acquisition was never in them.
-- It values an item once for each year of its life; later years reuse the last value.
create or replace function valuation.depreciation_years()
returns table (
  year_start date, year_end date, category text, items bigint, opening_cost numeric, additions numeric, disposed_cost numeric,
  closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric, closing_accumulated numeric,
  opening_value numeric, closing_value numeric, proceeds numeric
)
language sql stable security definer rows 200
set search_path = ''
set jit = off
begin atomic
  with books as materialized (
    select
      b.*, (periods[pg_catalog.cardinality(periods)]).began + (periods[pg_catalog.cardinality(periods)]).months as life,
      case when b.convention = 'item' then valuation.whole_months(
        b.starts_on, pg_catalog.make_date(b.first_year + 1, b.year_starts, 1)) else b.first_year_months end as first_end
    from (
      select
        i.category, (p).cost, (p).decimals, (p).starts_on, (p).convention, (p).first_year_months, (p).year_starts,
        pg_catalog.date_part('year', valuation.year_of(i.acquisition_date, (p).year_starts))::integer as first_year,
        pg_catalog.date_part('year', valuation.year_of(gone.on_day, (p).year_starts))::integer as last_year,
        case when gone.on_day is not null then valuation.age(p, gone.on_day + 1) end as gone_age,
        case when gone.on_day is not null then coalesce(i.disposal_proceeds, 0) end as proceeds,
        ((p).terms[pg_catalog.cardinality((p).terms)]).life as planned_life,
        valuation.depreciate(p, 0, case when gone.on_day is null then 120000 else valuation.age(p, gone.on_day + 1) end) as periods
      from app.studios s
      join app.items i on i.studio_id = s.id
      cross join lateral (
        select coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date) as on_day) as gone
      cross join lateral (
        select valuation.plan_of(i, (select c from app.categories c where c.name = i.category), s) as p offset 0) as planned
      where s.id = (select access.current_studio_id())
        and (i.depreciation_method <> 'none' or i.depreciation_changes is not null) and (p).cost is not null
        and coalesce(gone.on_day >= i.acquisition_date, true)
      -- Not pulled up, so that each item's periods are computed once.
      offset 0
    ) as b
  ), lives as materialized (
    -- How many years after the one of its acquisition an item's life ends.
    select b.*, greatest(pg_catalog.ceil((b.life - b.first_end) / 12), 0)::integer as life_years from books b
  ), valued as (
    -- What an item is worth at the end of the years of its life, and not of that in which it left.
    select b.category, b.first_year + y.year as year, y.year = b.life_years as is_last, round(round(p.opening_value
      - p.charge * least(b.first_end + 12 * y.year - p.began, p.months) / p.months, 20), b.decimals) as value
    from lives b
    cross join lateral pg_catalog.unnest(b.periods) with ordinality as p (term, past_years, began, months, opening_value, charge, n)
    cross join lateral pg_catalog.generate_series(
      case when p.began = 0 then 0 else greatest(pg_catalog.floor((p.began - b.first_end) / 12)::integer + 1, 0) end,
      least(9999 - b.first_year, b.last_year - b.first_year - 1, coalesce(
        pg_catalog.floor(((b.periods[p.n::integer + 1]).began - b.first_end) / 12)::integer,
        greatest(pg_catalog.ceil((p.began + p.months - b.first_end) / 12)::integer, 0)))) as y (year)
  ), moved as (
    select v.year, v.category, 0 as items, 0 as cost, 0 as disposed_cost, 0 as disposed_value, 0 as proceeds,
      sum(v.value) as value, sum(v.value) filter (where v.is_last) as last_value
    from valued v group by 1, 2
    union all
    select b.first_year, b.category, count(*), sum(b.cost), 0, 0, 0, 0, 0 from lives b group by 1, 2
    union all
    select
      b.last_year, b.category, -count(*), 0, sum(b.cost), sum(g.worth), sum(b.proceeds), 0,
      -- What stayed in the sums since the end of its life leaves them.
      -coalesce(sum(g.worth) filter (where b.first_year + b.life_years < b.last_year), 0)
    from lives b
    cross join lateral (select valuation.worth(b.periods, b.gone_age, b.decimals) as worth offset 0) as g
    where b.last_year is not null group by 1, 2
    union all
    select n, l.category, 0, 0, 0, 0, 0, 0, 0
    from (select b.category, pg_catalog.min(b.first_year) as first_year from lives b group by b.category) as l
    cross join lateral pg_catalog.generate_series(l.first_year, (
      -- Ends in the year of the day after the life. An item whose months start within a calendar
      -- month ends in the year of the last day of its life.
      select pg_catalog.max(least(9999, a.first_year + greatest(pg_catalog.ceil(
        (coalesce(a.gone_age, greatest(a.life, a.planned_life)) - a.first_end
          + case when a.convention = 'item' and pg_catalog.date_part('day', a.starts_on) > 1 then 0 else 0.000001 end) / 12
        ), 0)::bigint))::integer
      from lives a)) as n
  ), years as (
    select
      m.year, m.category, sum(sum(m.items)) over past as items, sum(m.cost) as additions, sum(m.disposed_cost) as disposed_cost,
      sum(m.disposed_value) as disposed_value, sum(m.proceeds) as proceeds,
      sum(sum(m.cost) - sum(m.disposed_cost)) over past as closing_cost,
      sum(m.value) - coalesce(sum(m.last_value) filter (where m.last_value > 0), 0) + sum(coalesce(sum(m.last_value), 0)) over past
        as closing_value
    from moved m
    group by m.year, m.category
    window past as (partition by m.category order by m.year)
  )
  select
    d.year_start, (d.year_start + interval '1 year')::date - 1, y.category, y.items::bigint,
    y.closing_cost - y.additions + y.disposed_cost, y.additions, y.disposed_cost, y.closing_cost,
    y.closing_cost - y.additions + y.disposed_cost - y.opening,
    y.opening + y.additions - y.disposed_value - y.closing_value, y.disposed_cost - y.disposed_value, y.closing_cost - y.closing_value,
    y.opening, y.closing_value, y.proceeds
  from (select y.*, pg_catalog.lag(y.closing_value, 1, 0) over (partition by y.category order by y.year) as opening from years y) as y
  cross join lateral (
    select pg_catalog.make_date(y.year, coalesce(s.financial_year_start_month, 1), 1) as year_start
    from app.studios s where s.id = (select access.current_studio_id())
  ) as d
  order by d.year_start, y.category;
end;

comment on function valuation.depreciation_years() is
  'The reconciliation of what depreciates in the session''s studio, by financial year and category.';
