-- Trigger: keeps the number of maintenance records of live items per studio and status ('*' is all), in slots like
-- app.count_items().
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  -- without studio_hash, which is generated, and in no slot yet
  differences app.maintenance_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select c.studio_id, null::integer, c.status, 0::smallint, count(*) from changed c where not c.item_archived group by 1, 3
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select b.studio_id, null::integer, b.status, 0::smallint, -count(*) from before b where not b.item_archived group by 1, 3
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select u.studio_id, null::integer, u.status, 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
        union all
        select b.studio_id, b.status, -1 from before b where not b.item_archived
      ) as u
      group by 1, 3 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.maintenance_counts as held (studio_id, status, slot, records)
  select d.studio_id, coalesce(d.status, '*'), own_slot, sum(d.records)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.status))
  having sum(d.records) <> 0
  order by 1, 2
  on conflict (studio_id, status, slot) do update set records = held.records + excluded.records;
  return null;
end
$$;

comment on function app.count_maintenance() is 'Trigger of app.maintenance_records: keeps the numbers of records.';
