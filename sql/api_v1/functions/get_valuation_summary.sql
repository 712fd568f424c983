-- GET /valuations/summary: numbers of items and sums of amounts, in groups that add up to the
-- total. What is declared for less than it is worth, not at all, or for more stand apart, and so
-- does what has no known value.
--   by    category, location, coverage_state, value_source, or policy (of the primary assignment). The
--         key of a group is null where an item has none
create or replace function api_v1.get_valuation_summary(
  token_digest bytea, by text default 'category', client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  with account as (
    select a.currency, a.minor_units from access.current_account() a
  ), valued as (
    select
      case by
        when 'category' then i.category
        when 'location' then i.location_id::text
        when 'coverage_state' then i.coverage_state
        when 'value_source' then i.value_source
        else (select a.policy_id::text from api_v1.assignments a where a.item_id = i.id and a.is_primary)
      end as key,
      i.current_estimated_value as value, i.reported_insured_value as declared, i.purchase_price, i.coverage_state as state,
      i.gap_amount as gap
    from api_v1.items i
  ), summed as (
    select
      v.key, grouping(v.key) = 1 as is_total, count(*) as items,
      round(coalesce(sum(v.value), 0), (select minor_units from account)) as estimated_value,
      round(coalesce(sum(v.purchase_price), 0), (select minor_units from account)) as purchase_price,
      round(coalesce(sum(v.declared), 0), (select minor_units from account)) as reported_insured_value,
      count(*) filter (where v.state = 'under_covered') as under_declared_items,
      round(coalesce(sum(v.gap) filter (where v.state = 'under_covered'), 0), (select minor_units from account)) as under_declared,
      count(*) filter (where v.state = 'uninsured') as not_declared_items,
      round(coalesce(sum(v.value) filter (where v.state = 'uninsured'), 0), (select minor_units from account)) as not_declared,
      count(*) filter (where v.gap < 0) as over_declared_items,
      round(coalesce(-sum(v.gap) filter (where v.gap < 0), 0), (select minor_units from account)) as over_declared,
      count(*) filter (where v.value is null) as without_value_items,
      round(coalesce(sum(v.declared) filter (where v.value is null), 0), (select minor_units from account)) as without_value_declared
    from valued v
    group by grouping sets ((v.key), ())
  ), shown as (
    select s.is_total, s.key, s.estimated_value, row_to_json((select numbers from (select
      s.items, s.estimated_value, s.purchase_price, s.reported_insured_value, s.under_declared_items, s.under_declared,
      s.not_declared_items, s.not_declared, s.over_declared_items, s.over_declared, s.without_value_items,
      s.without_value_declared) as numbers))::text as numbers
    from summed s
  )
  select pg_catalog.format('{"by":%s,"currency":%s,"groups":[%s],"total":%s}',
    pg_catalog.to_json(by), (select pg_catalog.to_json(a.currency) from account a),
    pg_catalog.string_agg(
      pg_catalog.format('{"key":%s,%s', coalesce(pg_catalog.to_json(s.key)::text, 'null'), pg_catalog.substr(s.numbers, 2)),
      ',' order by s.estimated_value desc, s.key) filter (where not s.is_total),
    pg_catalog.min(s.numbers) filter (where s.is_total))
  into answer.data from shown s;
  return answer;
end
$$;

comment on function api_v1.get_valuation_summary(bytea, text, inet) is
  'GET /valuations/summary: numbers of items and sums of amounts, in groups and in all.';
