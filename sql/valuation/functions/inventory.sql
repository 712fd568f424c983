-- The inventory of the session's studio at the end of a day: an item belongs to it from the day of its acquisition, or from the
-- day on which it was recorded when that is earlier or no acquisition is; until the day before it was archived. What is
-- archived now is not there today nor later, whatever day that is said to have been. Days are the studio's. For the owner.
create or replace function valuation.inventory(day date)
returns table (item app.items, financial_year_start_month integer, currency text)
language sql stable security invoker
begin atomic
  select i, s.financial_year_start_month::integer, s.currency
  from app.studios s
  join app.items i on i.studio_id = s.id
  where s.id = (select access.current_studio_id())
    and least(i.acquisition_date, (i.created_at at time zone s.timezone)::date) <= inventory.day
    and (i.archived_at is null
      or (inventory.day < (i.archived_at at time zone s.timezone)::date
        and inventory.day < (select access.current_studio_today())));
end;

comment on function valuation.inventory(date) is 'The inventory of the session''s studio at the end of a day.';
