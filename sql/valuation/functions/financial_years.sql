-- The financial years of the session's studio in which something depreciates, from the first acquisition to the end of the
-- longest useful life. Calendar years when the studio has named no first month.
create or replace function valuation.financial_years() returns table (starts_on date, ends_on date)
language sql stable security definer rows 30
set search_path = ''
begin atomic
  select y.starts_on::date, (y.starts_on + interval '1 year')::date - 1
  from (
    select
      coalesce(s.financial_year_start_month, 1) as month,
      pg_catalog.min(i.acquisition_date) as first_on,
      pg_catalog.max((i.acquisition_date
        + pg_catalog.make_interval(months => coalesce(i.useful_life_months, c.useful_life_months)))::date) as last_on
    from app.studios s
    join app.items i on i.studio_id = s.id
    join app.categories c on c.name = i.category
    where s.id = access.current_studio_id() and i.archived_at is null and i.depreciation_method <> 'none'
      and i.purchase_price > 0
    group by s.id
  ) as known
  cross join lateral pg_catalog.generate_series(
    pg_catalog.date_trunc('month', known.first_on::timestamp)
      - pg_catalog.make_interval(months => (extract(month from known.first_on)::integer - known.month + 12) % 12),
    known.last_on::timestamp,
    interval '1 year') as y (starts_on);
end;

comment on function valuation.financial_years() is
  'The financial years of the session''s studio in which something depreciates.';
