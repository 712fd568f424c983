-- The market values of the session's studio that were the last known by a day. They may have
-- another currency's decimals. PostgreSQL does not inline it, so that the planner uses its ROWS.
-- The planner's own guess is an average studio's number, with which it would compare each item with
-- each value. Only studio_owner may call it.
create or replace function valuation.market_values_on(day date) returns table (item_id uuid, value numeric)
language sql stable security invoker parallel safe rows 20000
set search_path = ''
begin atomic
  select distinct on (h.item_id) h.item_id, h.value::numeric
  from app.market_value_history h
  where h.studio_id = (select access.current_studio_id()) and h.day <= market_values_on.day
  order by h.item_id, h.id desc;
end;

comment on function valuation.market_values_on(date) is 'The last market values of the session''s studio that were known by a day.';
