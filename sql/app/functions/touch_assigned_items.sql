-- Trigger: an item shows its assignments, so a change of one moves its updated_at. The policy's
-- does not move: many assignments of one policy are written at once, and writers of two policies in
-- opposite orders would deadlock. Locks items in the order of their ids. The new value always
-- differs from the old one; app.touch() makes the moment of it.
create or replace function app.touch_assigned_items() returns trigger
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
    select pg_catalog.array_agg(u.item_id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
      (select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c
       except
       select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b)
      union all
      (select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b
       except
       select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c)
    ) as u;
  end if;
  if item_ids is null then
    return null;
  end if;
  perform from app.items i
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids) order by i.id for no key update;
  update app.items i set updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.touch_assigned_items() is
  'Trigger of app.policy_assignments: moves updated_at of the items whose assignments changed.';
