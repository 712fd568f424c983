-- Gives the value of an item that does not depreciate; null when nothing says what it is worth.
create or replace function valuation.plain_value(item app.items) returns numeric
language sql immutable security invoker
return coalesce(item.market_value, item.manual_value, nullif(item.purchase_price, 0), item.replacement_cost);

comment on function valuation.plain_value(app.items) is 'The value of an item that does not depreciate.';
