-- Returns the last market value of each item that the session's studio knew by a day. Values may have
-- the decimals of an earlier currency. The setting keeps PostgreSQL from inlining the function, so that
-- the planner expects the number in ROWS. Otherwise it expects as many values as an average studio has,
-- and compares each item with each value. Only studio_owner may call it.
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
