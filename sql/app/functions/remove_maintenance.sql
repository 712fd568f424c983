-- Trigger of app.maintenance_records: notes the records that left the list in this statement
-- (deleted, or their item was archived), and forgets those that came back.
create or replace function app.remove_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where not b.item_archived;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where not c.item_archived and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'maintenance' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.item_archived),
      pg_catalog.array_agg(m.id) filter (where not m.item_archived)
    into gone, back
    from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.item_archived from changed c except select b.id, b.item_archived from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('maintenance', gone, case tg_op when 'DELETE' then 'deleted' else 'item_archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('maintenance', back);
  end if;
  return null;
end
$$;

comment on function app.remove_maintenance() is 'Trigger of app.maintenance_records: notes which records left the list.';
