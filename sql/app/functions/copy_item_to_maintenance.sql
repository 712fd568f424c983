-- Trigger: maintenance records show the name of their item and vanish while it is archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- planning costs more than the work
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(c.id) into item_ids
  from changed c join before b on b.studio_id = c.studio_id and b.id = c.id
  where (b.name, b.archived_at is null) is distinct from (c.name, c.archived_at is null);
  if item_ids is not null then
    -- No join: the planner would read every record of the studio for it.
    update app.maintenance_records m
    set (item_name, item_archived) = (
      select i.name, i.archived_at is not null from app.items i where i.studio_id = m.studio_id and i.id = m.item_id)
    where m.studio_id = (select access.current_studio_id()) and m.item_id = any (item_ids);
  end if;
  return null;
end
$$;

comment on function app.copy_item_to_maintenance() is
  'Trigger of app.items: copies name and archiving to the maintenance records.';
