-- The one definition of every sum over items: the REST summary, the console, the report, GraphQL and
-- analysts read it here. Counts items and sums their amounts in groups. Several groupings cost one
-- reading of the items.
--   day              the end of a day, past or future, as api_v1.items_on() values it; null: today as
--                    the lists show it. No items outside the years 1 to 9999
--   by               any of total, category, location, location_with_sublocations, coverage_state,
--                    value_source, policy and each_policy. Else raises 22023. By policy, an item
--                    belongs to one policy that covers it on the day: that of its primary assignment
--                    if it does, else the first by id. By each_policy, it counts in every policy that
--                    covers it, and declared_under_policies is what that policy declares
--   category, coverage_state   only such items; null: all
--   policy_id        only the items that this policy covers on the day (api_v1.cover_on()), and of
--                    declared_under_policies only its part; null: all
--   with_cover       whether to show declared_under_policies and the two columns after it, which
--                    takes half as long again; else they are null. without_amount_items are those
--                    for which a policy has no amount. repeated_items have several assignments under
--                    one policy on the day, whose amounts are added
--   grouped_by, key  the grouping, and the group in it: text, or the id of a location or policy. The
--                    key is null for items that have none, and in the total. A studio without
--                    items has a total of zeros
-- Amounts are in the studio's currency, with its decimals; what is not recorded counts 0.
-- left_to_declare is under_declared + not_declared. over_declared is never offset against them.
-- In each row
--   estimated_value - (reported_insured_value - without_value_declared)
--     = under_declared + not_declared - over_declared
-- and the groups of a grouping add up to the total, except for locations with their sublocations and
-- for each policy.
create or replace function api_v1.sums_on(
  day date default null, by text[] default '{total}', category text default null, coverage_state text default null,
  policy_id uuid default null, with_cover boolean default false
)
returns table (
  grouped_by text, key text, items integer, estimated_value numeric, purchase_price numeric, replacement_cost numeric,
  book_value numeric, reported_insured_value numeric, under_declared_items integer, under_declared numeric,
  not_declared_items integer, not_declared numeric, left_to_declare numeric, over_declared_items integer, over_declared numeric,
  without_value_items integer, without_value_declared numeric, declared_under_policies numeric,
  without_amount_items integer, repeated_items integer
)
language plpgsql stable security definer rows 100
set search_path = ''
set jit = off
set plan_cache_mode = 'force_custom_plan' -- leaves out what the arguments do not ask for
set enable_sort = on -- studio_api plans for pages: here most of a studio's rows are read
set enable_bitmapscan = on
set enable_seqscan = on
set enable_mergejoin = off -- would sort them
set work_mem = '32MB'
as $$
#variable_conflict use_column
declare
  groupings text[] := '{total,category,location,location_with_sublocations,coverage_state,value_source,policy,each_policy}';
  decimals integer := (select a.minor_units from access.current_account() as a);
  studio uuid := access.current_studio_id();
  today date := access.current_studio_today();
  readings text[] := pg_catalog.array_remove(array[
    case when sums_on.by && '{category,value_source}' or not sums_on.by && '{location,location_with_sublocations,policy}'
      then 'kind' end,
    case when sums_on.by && '{location,location_with_sublocations}' then 'place' end,
    case when 'policy' = any (sums_on.by) then 'policy' end,
    case when 'each_policy' = any (sums_on.by) then 'each_policy' end], null);
  alone boolean := pg_catalog.cardinality(readings) = 1; -- then the plan has no trace of readings
begin
  if (sums_on.by <@ groupings) is not true then
    raise exception 'by is of %, and not %', pg_catalog.array_to_string(groupings, ', '),
      coalesce(pg_catalog.array_to_string(sums_on.by, ', ', 'null'), 'null') using errcode = '22023';
  end if;
  return query
  with cover as materialized (
    select * from api_v1.cover_on(coalesce(sums_on.day, today), sums_on.policy_id)
    where sums_on.with_cover or sums_on.policy_id is not null or sums_on.by && '{policy,each_policy}'
  ), cells as materialized (
    -- Adds up the items that are in the same groups. A studio can have thousands of places and of
    -- policies, and nearly every item would be a group of its own. So each reading groups the items
    -- by their kind, by their place, by their policy or by each of their policies.
    select
      case when alone then readings[1] else reading.by end as reading,
      case when 'category' = any (sums_on.by) and (alone or reading.by = 'kind') then h.category end as category,
      case when sums_on.by && '{location,location_with_sublocations}' and (alone or reading.by = 'place')
        then h.location_id end as location_id,
      case when 'value_source' = any (sums_on.by) and (alone or reading.by = 'kind') then h.value_source end as value_source,
      case when sums_on.by && '{policy,each_policy}' and (alone or reading.by in ('policy', 'each_policy'))
        then c.policy_id end as policy_id,
      h.coverage_state, count(*) as items, count(*) filter (where h.gap < 0) as over_items,
      sum(h.value) as value, sum(h.gap) as gap, sum(h.purchase_price) as purchase_price, sum(h.replacement_cost) as replacement_cost,
      sum(h.book_value) as book_value, sum(h.declared) as declared, sum(c.declared) as under_policies,
      count(*) filter (where c.lacks_amount) as without_amount, count(*) filter (where c.is_repeated) as repeated
    from (
      select v.item_id, v.category, v.location_id, v.value_source, v.coverage_state, v.current_estimated_value::numeric as value,
        v.gap_amount as gap, v.purchase_price::numeric as purchase_price, v.replacement_cost::numeric as replacement_cost,
        v.book_value::numeric as book_value, v.reported_insured_value::numeric as declared
      from app.item_valuations v
      where sums_on.day is null and v.studio_id = studio and not v.is_archived
      union all
      select i.id, i.category, i.location_id, i.value_source, i.coverage_state, i.current_estimated_value, i.gap_amount,
        i.purchase_price, i.replacement_cost, i.book_value, i.reported_insured_value
      from valuation.assess_items(sums_on.day) as i
      where sums_on.day between '0001-01-01' and '9999-12-31'
    ) as h
    left join pg_catalog.unnest(readings) as reading (by) on not alone
    left join (
      select c.item_id, false as is_each,
        -- PostgreSQL before 18 has no min(uuid).
        pg_catalog.substr(min(case when 'policy' = any (sums_on.by) then (not c.is_primary)::integer || c.policy_id::text end
          collate "C"), 2) as policy_id,
        sum(c.declared_value) as declared, pg_catalog.bool_or(c.declared_value is null) as lacks_amount,
        pg_catalog.bool_or(c.assignments > 1) as is_repeated
      from cover c
      group by c.item_id
      union all
      select c.item_id, true, c.policy_id::text, c.declared_value, c.declared_value is null, c.assignments > 1
      from cover c
      where 'each_policy' = any (sums_on.by)
    ) as c on c.item_id = h.item_id and c.is_each = (not alone and reading.by = 'each_policy')
    where (sums_on.category is null or h.category = sums_on.category)
      and (sums_on.coverage_state is null or h.coverage_state = sums_on.coverage_state)
      and (sums_on.policy_id is null or c.item_id is not null)
    group by 1, 2, 3, 4, 5, 6
  ), grouped as (
    select g.grouped_by, g.key, c.*
    from cells c
    cross join lateral (values
      ('total', null, readings[1]), ('category', c.category, 'kind'), ('location', c.location_id::text, 'place'),
      ('coverage_state', c.coverage_state, readings[1]), ('value_source', c.value_source, 'kind'),
      ('policy', c.policy_id, 'policy'), ('each_policy', c.policy_id, 'each_policy')
    ) as g (grouped_by, key, reading)
    where g.grouped_by = any (sums_on.by) and g.reading = c.reading
    union all
    select 'location_with_sublocations', w.whole::text, c.*
    from cells c
    left join (
      select t.id, pg_catalog.unnest(t.within) as whole from service.location_tree t
    ) as w on w.id = c.location_id
    where 'location_with_sublocations' = any (sums_on.by) and c.reading = 'place'
    union all
    select 'total', null, null, null, null, null, null, null, 0, 0, null, null, null, null, null, null, null, 0, 0
    where 'total' = any (sums_on.by) and decimals is not null -- of a studio
  )
  select
    g.grouped_by, g.key, sum(g.items)::integer,
    round(coalesce(sum(g.value), 0), decimals),
    round(coalesce(sum(g.purchase_price), 0), decimals),
    round(coalesce(sum(g.replacement_cost), 0), decimals),
    round(coalesce(sum(g.book_value), 0), decimals),
    round(coalesce(sum(g.declared), 0), decimals),
    coalesce(sum(g.items) filter (where g.coverage_state = 'under_covered'), 0)::integer,
    round(coalesce(sum(g.gap) filter (where g.coverage_state = 'under_covered'), 0), decimals),
    coalesce(sum(g.items) filter (where g.coverage_state = 'uninsured'), 0)::integer,
    round(coalesce(sum(g.gap) filter (where g.coverage_state = 'uninsured'), 0), decimals),
    round(coalesce(sum(g.gap) filter (where g.coverage_state in ('under_covered', 'uninsured')), 0), decimals),
    sum(g.over_items)::integer,
    round(coalesce(-sum(g.gap) filter (where g.coverage_state = 'fully_covered'), 0), decimals),
    coalesce(sum(g.items) filter (where coalesce(g.coverage_state, 'value_unknown') = 'value_unknown'), 0)::integer,
    round(coalesce(sum(g.declared) filter (where coalesce(g.coverage_state, 'value_unknown') = 'value_unknown'), 0), decimals),
    case when sums_on.with_cover then round(coalesce(sum(g.under_policies), 0), decimals) end,
    case when sums_on.with_cover then sum(g.without_amount)::integer end,
    case when sums_on.with_cover then sum(g.repeated)::integer end
  from grouped g
  group by g.grouped_by, g.key
  order by pg_catalog.array_position(sums_on.by, g.grouped_by), g.key;
end
$$;

comment on function api_v1.sums_on(date, text[], text, text, uuid, boolean) is
  'Counts of items and sums of their amounts, in total and in groups, at the end of a day; without one, today as the lists show it.';
