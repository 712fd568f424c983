-- The depreciation register for a range of days, with one row for each item in the books. It has
-- the columns of api_v1.depreciation_years by item. An archived item counts until it left.
--   from_day, to_day   no rows if one is null or outside the years 1 to 9999, or to_day is earlier
create or replace function api_v1.depreciation_schedule(from_day date, to_day date)
returns table (
  item_id uuid, name text, category text, acquisition_date date, disposed_on date, opening_cost numeric, additions numeric,
  disposed_cost numeric, closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric,
  closing_accumulated numeric, opening_value numeric, closing_value numeric, proceeds numeric, gain numeric
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    b.item_id, b.name, b.category, b.acquisition_date, b.disposed_on,
    round(b.opening_cost, a.minor_units),
    round(b.additions, a.minor_units),
    round(b.disposed_cost, a.minor_units),
    round(b.closing_cost, a.minor_units),
    round(b.opening_accumulated, a.minor_units),
    round(b.charge, a.minor_units),
    round(b.disposed_accumulated, a.minor_units),
    round(b.closing_accumulated, a.minor_units),
    round(b.opening_value, a.minor_units),
    round(b.closing_value, a.minor_units),
    round(b.proceeds, a.minor_units),
    round(b.proceeds - (b.disposed_cost - b.disposed_accumulated), a.minor_units)
  from valuation.depreciation_between(from_day, to_day) as b
  cross join access.current_account() as a
  where from_day >= '0001-01-01' and to_day <= '9999-12-30';
end;

comment on function api_v1.depreciation_schedule(date, date) is
  'The register of depreciation from one day to another, one row for each item in the books.';
