-- The inventory of the session's studio at the end of a day, with each item's value and derivation.
-- It values items as of the next day, so that 31 March includes the charge of March.
--   item_id              only this item; null: all
--   market_value_as_of   when a source last reported that value, up to the day
-- Rounds market values, which may be in an earlier currency. Looks the category up for each item,
-- because the planner may turn a join into a scan by category.
-- Only studio_owner may call it.
create or replace function valuation.value_items(day date, item_id uuid default null)
returns table (
  item app.items, market_value_as_of timestamptz, studio app.studios, breakdown valuation.breakdown
)
language sql stable security invoker
begin atomic
  select
    v.item,
    case when (v.item).market_value = market.value
        and ((v.item).market_value_as_of at time zone (v.studio).timezone)::date <= value_items.day
      then greatest((v.item).market_value_as_of, market.as_of) else market.as_of end,
    v.studio, valued.breakdown
  from valuation.inventory(value_items.day, value_items.item_id) as v
  left join lateral (
    select h.value, h.as_of from app.market_value_history h
    where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= value_items.day
    order by h.id desc limit 1
  ) as market on true
  cross join lateral (
    select valuation.value_item(
      v.item, (select c from app.categories c where c.name = (v.item).category), v.studio,
      round(market.value, (v.studio).minor_units), value_items.day + 1) as breakdown
    -- A function in FROM would make a table of one row for each item, which is slow.
    offset 0
  ) as valued;
end;

comment on function valuation.value_items(date, uuid) is
  'The inventory of the session''s studio at the end of a day, and how every item''s value comes about.';
