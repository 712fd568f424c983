-- What depreciates in the session's studio, by financial year (calendar year when the studio has named no first month) and
-- category: its value when the year began, what was acquired, what the year takes off, what is left. From the first acquisition of the
-- category to the end of the studio's longest useful life, at most to the year 9999. Of items that are not archived, by their method,
-- even if another value counts for them.
-- An item is valued once for each year of its life; afterwards its last value stays in the sums. A year has the number of the calendar
-- year in which it begins; months count from the first of that month, so a year is its months by twelve.
create or replace function valuation.depreciation_years()
returns table (
  year_start date, year_end date, category text, items bigint, opening_value numeric, additions numeric, charge numeric,
  closing_value numeric
)
language sql stable security definer rows 200
set search_path = ''
begin atomic
  with depreciating as materialized (
    select
      i.category, i.depreciation_method as method, i.purchase_price::numeric as purchase_price, life.months as life,
      b.residual_value, b.first_year_months, first_month.n as first_month,
      began.month / 12 as first_year,
      (began.month + life.months - 1 + began.later) / 12 as last_year, -- of the last charge
      (began.month + life.months) / 12 as end_year,
      -- Whole months of the item when its first year ends: one that began later than on the first is not over.
      12 - began.month % 12 - began.later as months_in_first_year
    from app.studios s
    join app.items i on i.studio_id = s.id
    cross join lateral (select coalesce(s.financial_year_start_month::integer, 1) as n) as first_month
    cross join lateral valuation.value_item(
      i, (select c from app.categories c where c.name = i.category), null, '0001-01-01', s.financial_year_start_month) as b
    cross join lateral (select least(b.useful_life_months, 120000) as months) as life
    cross join lateral (
      select
        extract(year from b.depreciates_from)::integer * 12 + extract(month from b.depreciates_from)::integer
          - first_month.n as month,
        case when extract(day from b.depreciates_from) > 1 then 1 else 0 end as later
    ) as began
    where s.id = (select access.current_studio_id()) and i.archived_at is null and b.depreciated_value is not null
  ), valued as (
    select
      d.category, d.year,
      count(*) filter (where d.year = d.first_year) as items,
      sum(d.purchase_price) filter (where d.year = d.first_year) as additions,
      sum(d.closing_value) as closing_value,
      sum(d.closing_value) filter (where d.year = d.last_year) as last_value
    from (
      select
        d.category, d.first_year, d.last_year, d.purchase_price, y.year,
        (valuation.depreciate(d.method, d.purchase_price, d.months_in_first_year + 12 * (y.year - d.first_year), d.life,
          d.residual_value, d.first_year_months)).value as closing_value
      from depreciating d
      cross join lateral pg_catalog.generate_series(d.first_year, least(d.last_year, 9999)) as y (year)
    ) as d
    group by d.category, d.year
  ), years as (
    select
      c.category, c.first_month, y.year,
      sum(coalesce(v.items, 0)) over past as items,
      coalesce(v.additions, 0) as additions,
      coalesce(v.closing_value, 0) - coalesce(v.last_value, 0) + coalesce(sum(v.last_value) over past, 0) as closing_value
    from (
      select d.category, d.first_month, pg_catalog.min(d.first_year) as first_year
      from depreciating d group by d.category, d.first_month
    ) as c
    cross join (select least(pg_catalog.max(d.end_year), 9999) as year from depreciating d) as last
    cross join lateral pg_catalog.generate_series(c.first_year, last.year) as y (year)
    left join valued v on v.category = c.category and v.year = y.year
    window past as (partition by c.category order by y.year)
  ), opened as (
    select y.*, pg_catalog.lag(y.closing_value, 1, 0::numeric) over (partition by y.category order by y.year) as opening_value
    from years y
  )
  select
    ('0001-01-01'::date + pg_catalog.make_interval(months => (o.year - 1) * 12 + o.first_month - 1))::date,
    ('0001-01-01'::date + pg_catalog.make_interval(months => o.year * 12 + o.first_month - 1))::date - 1,
    o.category, o.items::bigint, o.opening_value, o.additions, o.opening_value + o.additions - o.closing_value,
    o.closing_value
  from opened o
  order by o.year, o.category;
end;

comment on function valuation.depreciation_years() is
  'What depreciates in the session''s studio, by financial year and category.';
