-- Trigger, at the end of a transaction: adds its changes to the counters ('*' is all; an item
-- without a coverage state counts in its category and in all), in a slot that no other open
-- transaction uses (app.free_slot()). A total is the sum of its slots. One write a transaction,
-- because each further write would leave a dead row that later ones read.
create or replace function app.write_counts() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  changes app.count_changes[];
  studio uuid;
  own_slot smallint;
begin
  with noted as (
    delete from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id() returning n.*
  )
  select pg_catalog.array_agg(row(d.*)::app.count_changes) into changes from (
    select pg_catalog.pg_current_xact_id(), false, n.studio_id, n.counter, n.word, n.coverage_state, sum(n.difference)
    from noted n group by n.studio_id, n.counter, n.word, n.coverage_state having sum(n.difference) <> 0
  ) as d;

  for studio in select distinct c.studio_id from unnest(changes) as c order by 1 loop
    -- The session may have left the studio by now, or entered another.
    perform access.enter_studio(studio);
    own_slot := app.free_slot(studio);

    insert into app.item_counts as held (studio_id, category, coverage_state, slot, items)
    select studio, coalesce(c.word, '*'), coalesce(c.coverage_state, '*'), own_slot, sum(c.difference)
    from unnest(changes) as c
    where c.studio_id = studio and c.counter = 'items'
    group by grouping sets ((), (c.word), (c.coverage_state), (c.word, c.coverage_state))
    having (grouping(c.coverage_state) = 1 or c.coverage_state <> '') and sum(c.difference) <> 0
    order by 2, 3
    on conflict (studio_id, category, coverage_state, slot) do update set items = held.items + excluded.items;

    insert into app.maintenance_counts as held (studio_id, status, slot, records)
    select studio, coalesce(c.word, '*'), own_slot, sum(c.difference)
    from unnest(changes) as c
    where c.studio_id = studio and c.counter = 'maintenance'
    group by grouping sets ((), (c.word))
    having sum(c.difference) <> 0
    order by 2
    on conflict (studio_id, status, slot) do update set records = held.records + excluded.records;
  end loop;
  perform pg_catalog.set_config('studio.id', coalesce(outer_studio, ''), true);
  return null;
end
$$;

comment on function app.write_counts() is 'Trigger of app.count_changes: adds the changes of a transaction to the counters.';
