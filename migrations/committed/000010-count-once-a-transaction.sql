--! Previous: sha1:11d9dec04cf07c8a0f02ddbaae1fade89d92d336
--! Hash: sha1:ed49a3b1f78f8f3abc15a244d39a3dead5eb6931
--! Message: count once a transaction

-- The counters of totals are written once a transaction, and not with each statement.
set local role studio_owner;

-- Changes of transactions that are not over: nothing to be restored or replicated. word is a category or a status.
create unlogged table app.count_changes (
  transaction xid8 not null default pg_catalog.pg_current_xact_id(),
  is_first boolean not null,
  studio_id uuid not null,
  counter text not null check (counter in ('items', 'maintenance')),
  word text not null,
  coverage_state text,
  difference bigint not null
);
create index count_changes_of_transaction on app.count_changes (transaction);
comment on table app.count_changes is 'How open transactions change the numbers of items and maintenance records.';

--! Included app/functions/free_slot.sql
-- A slot of the studio's data version that no other open transaction uses: this transaction's own, or the first that can be locked;
-- null when there is none. The lock lasts to the end of the transaction, and with it the slot of the same number in the counters is this
-- transaction's alone. So writers of one studio neither wait for each other nor deadlock over a count, and there are
-- never many more slots than there were writers at once.
create or replace function app.free_slot(studio_id uuid) returns smallint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select d.slot from app.data_versions d
    where d.studio_id = free_slot.studio_id
    order by d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid desc, d.slot limit 1
    for update skip locked);
end
$$;

comment on function app.free_slot(uuid) is 'A slot of a studio''s counters that no other open transaction uses.';
--! EndIncluded app/functions/free_slot.sql
--! Included app/functions/write_counts.sql
-- Trigger, at the end of a transaction: adds its changes to the counters ('*' is all; an item without a coverage state counts in
-- its category and in all), in a slot that no other open transaction uses (app.free_slot()); a total is the sum of its slots.
-- Once a transaction: a counter that is written again leaves a dead version that every later write of the transaction reads.
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
    -- The session may have left the studio, or entered another one.
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
--! EndIncluded app/functions/write_counts.sql
--! Included app/functions/count_items.sql
-- Trigger: notes how a statement changed the number of live items per category and coverage state ('' is none), in
-- app.count_changes. app.write_counts() adds them to the counters when the transaction commits.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- Its first changes of a transaction have them written at its end.
  is_first boolean := not exists (
    select from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id());
begin
  if tg_op = 'INSERT' then
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, c.studio_id, 'items', c.category, coalesce(c.coverage_state, ''), count(*)
    from changed c where c.archived_at is null group by 2, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, b.studio_id, 'items', b.category, coalesce(b.coverage_state, ''), -count(*)
    from before b where b.archived_at is null group by 2, 4, 5;
  else
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, u.studio_id, 'items', u.category, coalesce(u.coverage_state, ''), sum(u.difference)
    from (
      select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
      union all
      select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
    ) as u
    group by 2, 4, 5 having sum(u.difference) <> 0;
  end if;
  return null;
end
$$;

comment on function app.count_items() is 'Trigger of app.items: notes how the numbers of live items changed.';
--! EndIncluded app/functions/count_items.sql
--! Included app/functions/count_maintenance.sql
-- Trigger: notes how a statement changed the number of maintenance records of live items per status, as app.count_items().
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
--! EndIncluded app/functions/count_maintenance.sql
--! Included app/triggers/count_changes.sql
-- The trigger of app.count_changes: at the end of the transaction, or when it wants its constraints checked.
do $$
begin
  if not exists (select from pg_catalog.pg_trigger t
    where t.tgrelid = 'app.count_changes'::regclass and t.tgname = 'write_counts') then
    create constraint trigger write_counts after insert on app.count_changes
      deferrable initially deferred for each row when (new.is_first) execute function app.write_counts();
  end if;
end
$$;
--! EndIncluded app/triggers/count_changes.sql

reset role;
