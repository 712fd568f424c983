-- The inventory of the session's studio at the end of a day, past or to come, and how every item's value comes about. For
-- the owner.
--   day    the day by whose end things have to be known: the inventory, market values
--   as_of  the day whose value is asked: the one after, for the value at the end of the day; charges of a month are made at
--          its end, so that the value of 31 March includes the one of March
-- Of the market values whose day has come, the one recorded last counts. A category is looked up for each item: as a join the
-- planner, without statistics, may read the items by category.
create or replace function valuation.worked_out(day date, as_of date)
returns table (
  item app.items, market_value_as_of timestamptz, financial_year_start_month integer, currency text, workings valuation.workings
)
language sql stable security invoker
begin atomic
  select v.item, market.as_of, v.financial_year_start_month, v.currency, w
  from valuation.inventory(worked_out.day) as v
  left join lateral (
    select h.value, h.as_of from app.market_value_history h
    where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= worked_out.day
    order by h.id desc limit 1
  ) as market on true
  cross join lateral valuation.work_out(
    v.item, (select c from app.categories c where c.name = (v.item).category), market.value, worked_out.as_of,
    v.financial_year_start_month) as w;
end;

comment on function valuation.worked_out(date, date) is
  'The inventory of the session''s studio at the end of a day, and how every item''s value comes about.';
