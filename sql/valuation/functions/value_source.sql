-- Names the source that gives an item its value: the first of market, manual, depreciated, purchase
-- price (if above 0) and replacement cost that it has, else unknown. v1 never returns 'agreed'.
-- spec: value_source values.
create or replace function valuation.value_source(
  market_value numeric, manual_value numeric, depreciated_value numeric, purchase_price numeric, replacement_cost numeric
) returns text
language sql immutable security invoker parallel safe
return case
  when market_value is not null then 'market'
  when manual_value is not null then 'manual'
  when depreciated_value is not null then 'depreciated'
  when purchase_price > 0 then 'purchase_price'
  when replacement_cost is not null then 'replacement_cost'
  else 'unknown'
end;

comment on function valuation.value_source(numeric, numeric, numeric, numeric, numeric) is
  'Which value counts: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
