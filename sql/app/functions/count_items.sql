-- Trigger: keeps the number of live items per studio, category and coverage state ('*' is all; an item without a
-- coverage state counts in its category and in all), in the slot that the data version has moved in (see
-- app.free_slot()); a total is the sum of its slots.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  -- without studio_hash, which is generated, and in no slot yet
  differences app.item_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select c.studio_id, null::integer, c.category, coalesce(c.coverage_state, ''), 0::smallint, count(*)
      from changed c where c.archived_at is null group by 1, 3, 4
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select b.studio_id, null::integer, b.category, coalesce(b.coverage_state, ''), 0::smallint, -count(*)
      from before b where b.archived_at is null group by 1, 3, 4
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select u.studio_id, null::integer, u.category, coalesce(u.coverage_state, ''), 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
        union all
        select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
      ) as u
      group by 1, 3, 4 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.item_counts as held (studio_id, category, coverage_state, slot, items)
  select d.studio_id, coalesce(d.category, '*'), coalesce(d.coverage_state, '*'), own_slot, sum(d.items)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.category), (d.studio_id, d.coverage_state),
    (d.studio_id, d.category, d.coverage_state))
  having (grouping(d.coverage_state) = 1 or d.coverage_state <> '') and sum(d.items) <> 0
  order by 1, 2, 3
  on conflict (studio_id, category, coverage_state, slot) do update set items = held.items + excluded.items;
  return null;
end
$$;

comment on function app.count_items() is 'Trigger of app.items: keeps the numbers of live items.';
