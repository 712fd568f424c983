-- Trigger: maintenance records show the name of their item. They leave their list while it is
-- archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- Planning would cost more than the work.
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(m.id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
    select c.id, c.name, c.archived_at is null from changed c except select b.id, b.name, b.archived_at is null from before b) as m;
  if item_ids is not null then
    -- This is no join, for which the planner would read every record of the studio.
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
