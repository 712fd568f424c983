-- Writes the projection of items of the session's studio, as of today; rows that would not change are left alone.
-- Returns the ids of the items whose shown valuation moved.
create or replace function valuation.project(item_ids uuid[]) returns setof uuid
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- one plan for one item and for many; planning costs more than the work
as $$
#variable_conflict use_column
begin
  return query
  with assessed as materialized (
    select i.studio_id, i.id as item_id, a.*, (
      -- A look-up by key, for any number of items that the planner expects.
      select v from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id
    ) as held
    from app.items i
    join app.categories c on c.name = i.category
    cross join lateral valuation.assess(
      i, c, (select s from app.studios s where s.id = (select access.current_studio_id())),
      (select access.current_studio_today())
    ) as a
    where i.studio_id = (select access.current_studio_id()) and i.id = any (item_ids)
  ), moved as (
    select a.item_id
    from assessed a
    where (a.held).item_id is null
       or ((a.held).current_estimated_value, (a.held).value_source, (a.held).coverage_state, (a.held).gap_amount)
          is distinct from (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount)
  ), written as (
    insert into app.item_valuations as v
      (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount, revalue_on)
    select a.studio_id, a.item_id, a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.revalue_on
    from assessed a
    on conflict (studio_id, item_id) do update set
      current_estimated_value = excluded.current_estimated_value, value_source = excluded.value_source,
      coverage_state = excluded.coverage_state, gap_amount = excluded.gap_amount, revalue_on = excluded.revalue_on
    where (v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount, v.revalue_on)
      is distinct from (excluded.current_estimated_value, excluded.value_source, excluded.coverage_state,
        excluded.gap_amount, excluded.revalue_on)
  )
  select m.item_id from moved m;
end
$$;

comment on function valuation.project(uuid[]) is
  'Writes the projection of items of the session''s studio and returns those whose valuation moved.';
