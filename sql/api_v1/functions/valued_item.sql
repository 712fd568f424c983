-- An item's document with its valuation as further members, as JSON text. Null values are there as
-- null.
-- spec: Item object, "Detail only".
create or replace function api_v1.valued_item(
  document text, current_estimated_value numeric, value_source text, coverage_state text, gap_amount numeric
) returns text
language sql stable security invoker
return left(document, -1) || ',' || substr(
  row_to_json((select valued from (
    select current_estimated_value, value_source, null as agreed_value_from_policy, coverage_state, gap_amount
  ) as valued))::text, 2);

comment on function api_v1.valued_item(text, numeric, text, text, numeric) is
  'The document of an item with its valuation as further members.';
