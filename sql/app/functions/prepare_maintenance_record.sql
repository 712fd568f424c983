-- Trigger: copies to a maintenance record the name of its item, and whether the item is archived.
-- Locks the item, so that the item's next change finds the record.
create or replace function app.prepare_maintenance_record() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.item_id <> old.item_id then
    select i.name, i.archived_at is not null into new.item_name, new.item_archived
    from app.items i where i.studio_id = new.studio_id and i.id = new.item_id
    for share;
    -- Without an item it is null, and the foreign key refuses the record.
    new.item_archived := coalesce(new.item_archived, false);
  end if;
  return new;
end
$$;

comment on function app.prepare_maintenance_record() is
  'Trigger of app.maintenance_records: copies the item''s name and archiving.';
