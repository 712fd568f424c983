-- The depreciation schedule of one item of the session's studio: month by month from its acquisition until the residual value
-- is reached, the value at the month's beginning, the charge and the value at its end. Charges are differences of values in cents,
-- so that their sum is the purchase price less the residual value to the cent, by every method. No row for an item that does not
-- depreciate. Months are those of the item, or of the calendar when the studio has named the first of its financial year; at most
-- those of ten thousand years.
create or replace function valuation.depreciation_months(item_id uuid)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language sql stable security definer rows 60
set search_path = ''
begin atomic
  select
    s.month, (s.depreciates_from + pg_catalog.make_interval(months => s.month - 1))::date,
    (s.depreciates_from + pg_catalog.make_interval(months => s.month))::date - 1,
    s.opening_value, s.opening_value - s.closing_value, s.closing_value
  from (
    select
      m.n as month, b.depreciates_from, least(b.residual_value, i.purchase_price) as floor_value,
      pg_catalog.lag(ended.value, 1, i.purchase_price::numeric) over (order by m.n) as opening_value,
      ended.value as closing_value
    from app.studios s
    join app.items i on i.studio_id = s.id
    cross join lateral valuation.value_item(
      i, (select c from app.categories c where c.name = i.category), null, '0001-01-01', s.financial_year_start_month) as b
    cross join lateral pg_catalog.generate_series(1, least(b.useful_life_months, 120000)) as m (n)
    cross join lateral (select (valuation.depreciate(
      i.depreciation_method, i.purchase_price, m.n, b.useful_life_months, b.residual_value, b.first_year_months
    )).value) as ended (value)
    where s.id = access.current_studio_id() and i.id = depreciation_months.item_id and b.depreciated_value is not null
  ) as s
  where s.opening_value > s.floor_value
  order by s.month;
end;

comment on function valuation.depreciation_months(uuid) is
  'The depreciation schedule of one item of the session''s studio, month by month until its residual value.';
