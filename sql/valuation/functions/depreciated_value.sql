-- The depreciated value of an item, half-up to cents; null when it is not computable: see valuation.depreciate().
create or replace function valuation.depreciated_value(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric,
  first_year_months integer
) returns numeric
language sql immutable security invoker
set search_path = ''
return (valuation.depreciate(
  method, purchase_price, months, useful_life_months, residual_value, first_year_months)).value;

comment on function valuation.depreciated_value(text, numeric, integer, integer, numeric, integer) is
  'The depreciated value of an item, half-up to cents; null when it is not computable.';
