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
set work_mem = '32MB'
begin atomic
  with books as (
    select
      b.category, b.cost, b.floor_value, b.rate, b.decimals, b.starts_on, b.convention, b.first_year_months, b.usual_life, b.first_year,
      b.last_year, b.gone_age, b.proceeds, b.planned_life, b.periods,
      coalesce(b.usual_life,
        (b.periods[pg_catalog.cardinality(b.periods)]).began + (b.periods[pg_catalog.cardinality(b.periods)]).months) as life,
      case when b.convention = 'item' then valuation.whole_months(
        b.starts_on, pg_catalog.make_date(b.first_year + 1, b.year_starts, 1)) else b.first_year_months end as first_end
    from (
      select
        u.*,
        case when u.plan is not null then (u.plan).terms[pg_catalog.cardinality((u.plan).terms)].life else u.usual_life end as planned_life,
        case when u.plan is not null then valuation.depreciate(u.plan, 0, coalesce(u.gone_age, 120000)) end as periods
      from (
        select
          t.category, t.purchase_price as cost, t.floor_value, t.rate, t.decimals, t.starts_on, t.convention, t.year_starts,
          coalesce(t.first_year_months, 12) as first_year_months, case when t.is_usual then t.life end as usual_life,
          pg_catalog.date_part('year', valuation.year_of(t.acquisition_date, t.year_starts))::integer as first_year,
          pg_catalog.date_part('year', valuation.year_of(t.gone_on, t.year_starts))::integer as last_year,
          case when t.gone_on is not null then
            valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, t.gone_on + 1) end as gone_age,
          case when t.gone_on is not null then coalesce(t.disposal_proceeds, 0) end as proceeds, t.plan
        from valuation.item_terms(true, true) as t
        where coalesce(t.gone_on >= t.acquisition_date, true)
        offset '0'
      ) as u
      -- With `offset '0'` PostgreSQL computes the periods of an item once.
      offset '0'
    ) as b
  ), lives as materialized (
    -- How many years after its acquisition an item's life ends, and for how many years this values
    -- it: until the year before it left.
    select b.*, greatest(pg_catalog.ceil((b.life - b.first_end) / 12), 0)::integer as life_years,
      least(9999 - b.first_year, b.last_year - b.first_year - 1) as years,
      (b.cost * 10::numeric ^ b.decimals)::bigint as cost_units, (b.floor_value * 10::numeric ^ b.decimals)::bigint as floor_units,
      -- Null if whole numbers are not enough: by the day, or for amounts too large for them.
      case when b.periods is null and b.rate is null and b.usual_life <= 1200 and pg_catalog.scale(b.cost) <= b.decimals
          and pg_catalog.scale(b.floor_value) <= b.decimals and b.first_end * 2 = pg_catalog.trunc(b.first_end * 2)
        then (b.first_end * 2)::bigint end as half_months
    from books b
  ), shares as materialized (
    -- For declining methods and a cost of 1: the book value at the beginning of the period in which
    -- a year ends, the share of it that the period charges, and the part of the period before the
    -- year's end.
    select
      k.rate, k.first_year_months, k.first_end, k.usual_life, y.year, y.year = k.life_years as is_last,
      case when p.years = 0 or p.age >= k.usual_life then 1
        else round((1 - k.rate * k.first_year_months / 12) * power(1 - k.rate, p.years - 1), 40) end as opening,
      case when p.began + p.months >= k.usual_life then 1 else k.rate * p.months / 12 end as charge,
      case when p.age >= k.usual_life then 1 else (p.age - p.began)::numeric(42,40) / least(p.months, k.usual_life - p.began) end as passed
    from (
      select distinct b.rate, b.first_year_months, b.first_end, b.usual_life, b.life_years from lives b
      where b.periods is null and b.rate is not null
    ) as k
    cross join lateral pg_catalog.generate_series(0, k.life_years) as y (year)
    cross join lateral (
      select x.age, x.years, case when x.years = 0 then 0 else k.first_year_months + 12 * (x.years - 1) end as began,
        case when x.years = 0 then k.first_year_months else 12 end as months
      from (
        select a.age, greatest(pg_catalog.floor((a.age - k.first_year_months) / 12)::integer + 1, 0) as years
        from (select least(k.first_end + 12 * y.year, k.usual_life) as age offset '0') as a
        offset '0'
      ) as x
      offset '0'
    ) as p
  ), valued as (
    -- The value of an item at the end of each year of its life.
    select b.category, b.first_year + b.year as year, b.year = b.life_years as is_last, round(round(
      b.cost - (b.cost - b.floor_value) * least(b.first_end + 12 * b.year, b.usual_life) / b.usual_life, 20), b.decimals) as value
    from (
      select b.*, pg_catalog.generate_series(0, least(b.years, b.life_years)) as year
      from lives b where b.periods is null and b.rate is null and b.half_months is null
      offset '0'
    ) as b
    union all
    select b.category, b.first_year + k.year, k.is_last, round(round(
      case when k.passed = 0 then o.opening else o.opening - least(o.opening * k.charge, o.opening - b.floor_value) * k.passed end,
      20), b.decimals)
    from lives b
    join shares k on k.rate = b.rate and k.first_year_months = b.first_year_months and k.first_end = b.first_end
      and k.usual_life = b.usual_life and k.year <= b.years
    cross join lateral (select greatest(b.floor_value, b.cost * k.opening) as opening offset '0') as o
    where b.periods is null
    union all
    select b.category, b.first_year + y.year, y.year = b.life_years, round(round(p.opening_value
      - p.charge * least(b.first_end + 12 * y.year - p.began, p.months) / p.months, 20), b.decimals)
    from lives b
    cross join lateral pg_catalog.unnest(b.periods) with ordinality as p (term, past_years, began, months, opening_value, charge, n)
    cross join lateral pg_catalog.generate_series(
      case when p.began = 0 then 0 else greatest(pg_catalog.floor((p.began - b.first_end) / 12)::integer + 1, 0) end,
      least(b.years, coalesce(
        pg_catalog.floor(((b.periods[p.n::integer + 1]).began - b.first_end) / 12)::integer,
        greatest(pg_catalog.ceil((p.began + p.months - b.first_end) / 12)::integer, 0)))) as y (year)
    where b.periods is not null
  ), evenly as (
    -- The usual straight line in whole cents and half months. The result is the same to the cent,
    -- five times as fast.
    select b.category, b.first_year + b.year as year, b.year = b.life_years as is_last, b.decimals,
      (2 * (b.cost_units * b.half_life - (b.cost_units - b.floor_units) * least(b.half_months + 24 * b.year, b.half_life)) + b.half_life)
        / (2 * b.half_life) as units
    from (
      select b.category, b.first_year, b.life_years, b.decimals, b.cost_units, b.floor_units, b.half_months,
        2 * b.usual_life::bigint as half_life, pg_catalog.generate_series(0, least(b.years, b.life_years)) as year
      from lives b where b.half_months is not null
      offset '0'
    ) as b
  ), moved as (
    select v.year, v.category, 0 as items, 0 as cost, 0 as disposed_cost, 0 as disposed_value, 0 as proceeds,
      round(sum(v.units) / 10::numeric ^ v.decimals, v.decimals) as value,
      round(sum(v.units) filter (where v.is_last) / 10::numeric ^ v.decimals, v.decimals) as last_value
    from evenly v group by v.year, v.category, v.decimals
    union all
    select v.year, v.category, 0, 0, 0, 0, 0, sum(v.value), sum(v.value) filter (where v.is_last)
    from valued v group by 1, 2
    union all
    select b.first_year, b.category, count(*), sum(b.cost), 0, 0, 0, 0, 0 from lives b group by 1, 2
    union all
    select
      b.last_year, b.category, -count(*), 0, sum(b.cost), sum(g.worth), sum(b.proceeds), 0,
      -- After the end of its life, an item stays in the sums with its last value. This takes it
      -- out.
      -coalesce(sum(g.worth) filter (where b.first_year + b.life_years < b.last_year), 0)
    from lives b
    cross join lateral (
      select case when b.periods is not null then valuation.worth(b.periods, b.gone_age, b.decimals)
        else valuation.usual_worth(b.cost, b.floor_value, b.usual_life, b.rate, b.first_year_months, b.gone_age, b.decimals) end as worth
      offset '0'
    ) as g
    where b.last_year is not null group by 1, 2
    union all
    select n, l.category, 0, 0, 0, 0, 0, 0, 0
    from (select b.category, pg_catalog.min(b.first_year) as first_year from lives b group by b.category) as l
    cross join lateral pg_catalog.generate_series(l.first_year, (
      -- The last year is the one of the day after the life. For an item whose months start within a
      -- calendar month, it is the year of the last day of its life.
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
