-- The depreciation schedule of an item: month by month from its acquisition until the residual value is reached, the value at
-- the month's beginning, the charge and the value at its end. Charges are differences of values in cents, so that their sum is
-- the purchase price less the residual value to the cent, by every method. Empty when the item does not depreciate. Months are
-- those of the item, or of the calendar when the studio has named the first of its financial year.
create or replace function valuation.schedule(
  item app.items, category app.categories, financial_year_start_month integer
)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language sql immutable security invoker rows 60
set search_path = ''
begin atomic
  select s.month, s.starts_on, s.next_on - 1, s.opening_value, s.opening_value - s.closing_value, s.closing_value
  from (
    select
      m.n as month, (w.depreciates_from + pg_catalog.make_interval(months => m.n - 1))::date as starts_on, next.day as next_on,
      least(w.residual_value, schedule.item.purchase_price) as floor_value,
      pg_catalog.lag(ended.depreciated_value, 1, (schedule.item.purchase_price)::numeric(14,2)) over (order by m.n)
        as opening_value,
      ended.depreciated_value as closing_value
    from valuation.work_out(item, category, null, '0001-01-01', financial_year_start_month) as w
    cross join lateral pg_catalog.generate_series(1, w.useful_life_months) as m (n)
    cross join lateral (
      select (w.depreciates_from + pg_catalog.make_interval(months => m.n))::date as day) as next
    cross join lateral valuation.work_out(item, category, null, next.day, financial_year_start_month) as ended
    where ended.depreciated_value is not null
  ) as s
  where s.opening_value > s.floor_value;
end;

comment on function valuation.schedule(app.items, app.categories, integer) is
  'The depreciation schedule of an item, month by month until its residual value.';
