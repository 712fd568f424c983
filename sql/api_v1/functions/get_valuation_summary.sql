-- GET /valuations/summary: counts and sums of a day in groups that add up to the total, the most
-- valuable group first (api_v1.sums_on()).
--   by    category, location, coverage_state, value_source, or policy (one that covers the item on the
--         day). A group's key is null for items that have none
--   "on"  the end of a day, past or future, with today's assignments; null: today as the list shows it
--   category, coverage_state   only such items; null: all
create or replace function api_v1.get_valuation_summary(
  token_digest bytea, by text default 'category', "on" date default null, category text default null,
  coverage_state text default null, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  with shown as (
    select s.grouped_by = 'total' as is_total, s.key, s.estimated_value, row_to_json((select numbers from (select
      s.items, s.estimated_value, s.purchase_price, s.replacement_cost, s.book_value, s.reported_insured_value,
      s.under_declared_items, s.under_declared, s.not_declared_items, s.not_declared, s.over_declared_items, s.over_declared,
      s.without_value_items, s.without_value_declared
    ) as numbers))::text as numbers
    from api_v1.sums_on("on", array[by, 'total'], category, coverage_state) as s
  )
  select pg_catalog.format('{"by":%s,"currency":%s,"groups":[%s],"total":%s}',
    pg_catalog.to_json(by), (select pg_catalog.to_json(a.currency) from access.current_account() a),
    pg_catalog.string_agg(
      pg_catalog.format('{"key":%s,%s', coalesce(pg_catalog.to_json(s.key)::text, 'null'), pg_catalog.substr(s.numbers, 2)),
      ',' order by s.estimated_value desc, s.key) filter (where not s.is_total),
    pg_catalog.min(s.numbers) filter (where s.is_total))
  into answer.data from shown s;
  return answer;
end
$$;

comment on function api_v1.get_valuation_summary(bytea, text, date, text, text, inet) is
  'GET /valuations/summary: numbers of items and sums of amounts, in groups and in all.';
