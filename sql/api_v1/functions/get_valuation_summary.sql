-- GET /valuations/summary: counts and sums in groups that add up to the total. Items declared below
-- their value, above it, not at all, or without a known value are counted separately.
--   by    category, location, coverage_state, value_source, or policy (of the primary assignment).
--         A group's key is null for items that have none
--   "on"  the end of a day, past or future (api_v1.items_on()), with today's assignments;
--         null: today as the list shows it
create or replace function api_v1.get_valuation_summary(
  token_digest bytea, by text default 'category', "on" date default null, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
set enable_bitmapscan = on
set enable_indexscan = off -- most of a studio's rows are read: in their order on disk
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  with account as materialized (
    select a.currency, a.minor_units from access.current_account() a
  ), primaries as (
    select a.item_id, a.policy_id::text as policy from api_v1.assignments a where by = 'policy' and a.is_primary
  ), listed as (
    select v.item_id, v.category, v.location_id, v.coverage_state, v.value_source, v.current_estimated_value, v.gap_amount,
      v.purchase_price, v.reported_insured_value
    from service.item_valuations v where "on" is null and not v.is_archived
    union all
    select i.id, i.category, i.location_id, i.coverage_state, i.value_source, i.current_estimated_value, i.gap_amount,
      i.purchase_price, i.reported_insured_value
    from api_v1.items_on("on") i where "on" is not null
  ), valued as (
    select
      case by when 'category' then l.category when 'location' then l.location_id::text
        when 'coverage_state' then l.coverage_state when 'value_source' then l.value_source else p.policy end as key,
      l.current_estimated_value as value, l.reported_insured_value as declared, l.purchase_price, l.coverage_state as state,
      l.gap_amount as gap
    from listed l left join primaries p on p.item_id = l.item_id
  ), grouped as (
    select
      v.key, count(*) as items,
      sum(v.value) as estimated_value, sum(v.purchase_price) as purchase_price, sum(v.declared) as reported_insured_value,
      count(*) filter (where v.state = 'under_covered') as under_declared_items,
      sum(v.gap) filter (where v.state = 'under_covered') as under_declared,
      count(*) filter (where v.state = 'uninsured') as not_declared_items,
      sum(v.value) filter (where v.state = 'uninsured') as not_declared,
      count(*) filter (where v.gap < 0) as over_declared_items,
      -sum(v.gap) filter (where v.gap < 0) as over_declared,
      count(*) filter (where v.value is null) as without_value_items,
      sum(v.declared) filter (where v.value is null) as without_value_declared
    from valued v group by v.key
  ), summed as (
    select false as is_total, g.* from grouped g
    union all
    select
      true, null, coalesce(sum(g.items), 0)::bigint, sum(g.estimated_value), sum(g.purchase_price), sum(g.reported_insured_value),
      coalesce(sum(g.under_declared_items), 0)::bigint, sum(g.under_declared), coalesce(sum(g.not_declared_items), 0)::bigint,
      sum(g.not_declared), coalesce(sum(g.over_declared_items), 0)::bigint, sum(g.over_declared),
      coalesce(sum(g.without_value_items), 0)::bigint, sum(g.without_value_declared)
    from grouped g
  ), shown as (
    select s.is_total, s.key, s.estimated_value, row_to_json((select numbers from (select
      s.items, round(coalesce(s.estimated_value, 0), a.minor_units) as estimated_value,
      round(coalesce(s.purchase_price, 0), a.minor_units) as purchase_price,
      round(coalesce(s.reported_insured_value, 0), a.minor_units) as reported_insured_value,
      s.under_declared_items, round(coalesce(s.under_declared, 0), a.minor_units) as under_declared,
      s.not_declared_items, round(coalesce(s.not_declared, 0), a.minor_units) as not_declared,
      s.over_declared_items, round(coalesce(s.over_declared, 0), a.minor_units) as over_declared,
      s.without_value_items, round(coalesce(s.without_value_declared, 0), a.minor_units) as without_value_declared
    ) as numbers))::text as numbers
    from summed s cross join account a
  )
  select pg_catalog.format('{"by":%s,"currency":%s,"groups":[%s],"total":%s}',
    pg_catalog.to_json(by), (select pg_catalog.to_json(a.currency) from account a),
    pg_catalog.string_agg(
      pg_catalog.format('{"key":%s,%s', coalesce(pg_catalog.to_json(s.key)::text, 'null'), pg_catalog.substr(s.numbers, 2)),
      ',' order by s.estimated_value desc nulls last, s.key) filter (where not s.is_total),
    pg_catalog.min(s.numbers) filter (where s.is_total))
  into answer.data from shown s;
  return answer;
end
$$;

comment on function api_v1.get_valuation_summary(bytea, text, date, inet) is
  'GET /valuations/summary: numbers of items and sums of amounts, in groups and in all.';
