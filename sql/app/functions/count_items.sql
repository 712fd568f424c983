-- Trigger: notes in app.count_changes how a statement changed the number of live items per category
-- and coverage state ('' is none). app.write_counts() adds them to the counters at the commit.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- The first change of a transaction makes app.write_counts() run at its end.
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
