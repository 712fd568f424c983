-- Trigger: notes how a statement changed the number of live items' maintenance records per status,
-- like app.count_items().
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  is_first boolean := not exists (
    select from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id());
begin
  if tg_op = 'INSERT' then
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, c.studio_id, 'maintenance', c.status, count(*)
    from changed c where not c.item_archived group by 2, 4;
  elsif tg_op = 'DELETE' then
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, b.studio_id, 'maintenance', b.status, -count(*)
    from before b where not b.item_archived group by 2, 4;
  else
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, u.studio_id, 'maintenance', u.status, sum(u.difference)
    from (
      select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
      union all
      select b.studio_id, b.status, -1 from before b where not b.item_archived
    ) as u
    group by 2, 4 having sum(u.difference) <> 0;
  end if;
  return null;
end
$$;

comment on function app.count_maintenance() is 'Trigger of app.maintenance_records: notes how the numbers of records changed.';
