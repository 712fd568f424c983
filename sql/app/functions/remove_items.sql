-- Trigger of app.items: notes the items that left the list in this statement (archived, deleted),
-- and forgets those that came back.
create or replace function app.remove_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where b.archived_at is null;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where c.archived_at is null and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'item' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.archived),
      pg_catalog.array_agg(m.id) filter (where not m.archived)
    into gone, back
    from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.archived_at is not null as archived from changed c
      except select b.id, b.archived_at is not null from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('item', gone, case tg_op when 'DELETE' then 'deleted' else 'archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('item', back);
  end if;
  return null;
end
$$;

comment on function app.remove_items() is 'Trigger of app.items: notes which items left the list.';
