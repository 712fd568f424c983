-- What depreciates in the session's studio during a year, by category: what it was worth when the year began, what was acquired,
-- what the year takes off, what is left. Of items that are not archived; by their method, whatever other value counts for them.
create or replace function valuation.depreciation_in(starts_on date, ends_on date)
returns table (
  category text, items bigint, opening_value numeric, additions numeric, charge numeric, closing_value numeric
)
language sql stable security definer rows 16
set search_path = ''
begin atomic
  select
    y.category, count(*), sum(y.opening_value), sum(y.addition), sum(y.opening_value + y.addition - y.closing_value),
    sum(y.closing_value)
  from (
    select
      i.category,
      case when i.acquisition_date < depreciation_in.starts_on then (valuation.work_out(
        i, c, null, depreciation_in.starts_on, s.financial_year_start_month)).depreciated_value else 0 end as opening_value,
      case when i.acquisition_date < depreciation_in.starts_on then 0 else i.purchase_price::numeric end as addition,
      ended.depreciated_value as closing_value
    from app.studios s
    join app.items i on i.studio_id = s.id
    join app.categories c on c.name = i.category
    cross join lateral valuation.work_out(
      i, c, null, depreciation_in.ends_on + 1, s.financial_year_start_month) as ended
    where s.id = (select access.current_studio_id()) and i.archived_at is null
      and i.acquisition_date <= depreciation_in.ends_on and ended.depreciated_value is not null
  ) as y
  group by y.category;
end;

comment on function valuation.depreciation_in(date, date) is
  'What depreciates in the session''s studio during a year, by category.';
