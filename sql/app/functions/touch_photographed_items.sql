-- Trigger: an item shows its photos, so its updated_at moves with them. The new value always
-- differs from the old one; app.touch() makes the moment of it.
create or replace function app.touch_photographed_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.item_id) into item_ids from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.item_id) into item_ids from before b;
  else
    select pg_catalog.array_agg(u.item_id) into item_ids from (
      (select c.* from changed c except select b.* from before b)
      union all
      (select b.* from before b except select c.* from changed c)
    ) as u;
  end if;
  update app.items i set updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.touch_photographed_items() is 'Trigger of app.item_photos: moves updated_at of their items.';
