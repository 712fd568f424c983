-- What the studio has at the end of a day (valuation.inventory()), with what GET /valuations?on=
-- filters by. Values nothing: see api_v1.items_on() for the values of all items.
create or replace function service.inventory_on(day date)
returns table (id uuid, category text, location_id uuid)
language plpgsql stable security definer
set search_path = ''
set enable_bitmapscan = on
set enable_indexscan = off -- all items are read: in their order on disk
set work_mem = '32MB' -- of all items, in memory
as $$
begin
  return query
  select (v.item).id, (v.item).category, (v.item).location_id from valuation.inventory(inventory_on.day) as v;
end
$$;

comment on function service.inventory_on(date) is 'The studio''s items at the end of a day, without their values.';
