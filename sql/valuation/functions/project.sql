-- Updates the projection of items of the session's studio, as of today. Returns the ids of those
-- whose valuation, as the API lists or filters it, changed.
create or replace function valuation.project(item_ids uuid[]) returns setof uuid
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- Planning would cost more than the work.
set enable_seqscan = off -- A plan from when the table was small would read all of it for each item.
as $$
#variable_conflict use_column
begin
  return query
  with assessed as materialized (
    select i.studio_id, i.id as item_id, (a.assessment).*, i.replacement_cost, i.purchase_price, i.reported_insured_value, i.category,
      i.location_id, i.archived_at is not null as is_archived, (
      -- This looks items up by their key, however many of them the planner expects.
      select v from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id
    ) as held
    from app.items i
    join app.categories c on c.name = i.category
    cross join lateral (
      select valuation.assess(i, c, (select s from app.studios s where s.id = (select access.current_studio_id())),
        (select access.current_studio_today())) as assessment
      offset 0 -- values each item once
    ) as a
    where i.studio_id = (select access.current_studio_id()) and i.id = any (item_ids)
  ), compared as materialized (
    select a.*, (a.held).item_id is null or ((a.held).current_estimated_value, (a.held).value_source, (a.held).coverage_state,
        (a.held).gap_amount, (a.held).book_value, (a.held).purchase_price, (a.held).reported_insured_value, (a.held).category,
        (a.held).location_id, (a.held).is_archived)
      is distinct from (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.book_value,
        a.purchase_price, a.reported_insured_value, a.category, a.location_id, a.is_archived) as moved
    from assessed a
  ), written as (
    insert into app.item_valuations as v (studio_id, item_id, current_estimated_value, value_source, coverage_state,
      gap_amount, book_value, revalue_on, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
    select c.studio_id, c.item_id, c.current_estimated_value, c.value_source, c.coverage_state, c.gap_amount, c.book_value,
      c.revalue_on, c.replacement_cost, c.purchase_price, c.reported_insured_value, c.category, c.location_id, c.is_archived
    from compared c
    where c.moved or ((c.held).revalue_on, (c.held).replacement_cost) is distinct from (c.revalue_on, c.replacement_cost)
    on conflict (studio_id, item_id) do update set
      current_estimated_value = excluded.current_estimated_value, value_source = excluded.value_source,
      coverage_state = excluded.coverage_state, gap_amount = excluded.gap_amount, book_value = excluded.book_value,
      revalue_on = excluded.revalue_on, replacement_cost = excluded.replacement_cost,
      purchase_price = excluded.purchase_price, reported_insured_value = excluded.reported_insured_value,
      category = excluded.category, location_id = excluded.location_id, is_archived = excluded.is_archived
  )
  select c.item_id from compared c where c.moved;
end
$$;

comment on function valuation.project(uuid[]) is
  'Writes the projection of items of the session''s studio and returns those whose valuation moved.';
