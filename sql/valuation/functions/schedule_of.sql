-- The depreciation schedule of one item of the session's studio: valuation.schedule().
create or replace function valuation.schedule_of(item_id uuid)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language sql stable security definer rows 60
set search_path = ''
begin atomic
  select m.month, m.starts_on, m.ends_on, m.opening_value, m.charge, m.closing_value
  from app.studios s
  join app.items i on i.studio_id = s.id
  cross join lateral valuation.schedule(
    i, (select c from app.categories c where c.name = i.category), s.financial_year_start_month) as m
  where s.id = access.current_studio_id() and i.id = schedule_of.item_id
  order by m.month;
end;

comment on function valuation.schedule_of(uuid) is 'The depreciation schedule of one item of the session''s studio.';
