-- The depreciated value of an item, half-up to cents; null when it is not computable: method none, no purchase price,
-- no acquisition date. It starts at the purchase price and never falls below the residual value.
--   straight_line              loses the same amount every month of the useful life
--   declining_balance          loses 1.5 / useful life of what is left, every month (150 %)
--   double_declining_balance   loses 2 / useful life of what is left, every month
-- Forty decimals are kept on the way, of which twenty count: what is half a cent exactly is rounded up, although the
-- share that is kept every month is a periodic fraction.
-- purchase_price and residual_value are money, useful_life_months whole months, months the age in whole months.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciated_value(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric
) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  floor_value numeric := least(residual_value, purchase_price);
  age integer := greatest(months, 0);
  share_kept numeric;
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  elsif method = 'straight_line' then
    return round(purchase_price - (purchase_price - floor_value) * least(age, useful_life_months) / useful_life_months, 2);
  end if;
  share_kept := greatest(
    1 - (case method when 'declining_balance' then 1.5 else 2 end)::numeric(41, 40) / useful_life_months, 0);
  return round(round(greatest(purchase_price * power(share_kept, age), floor_value), 20), 2);
end
$$;

comment on function valuation.depreciated_value(text, numeric, integer, integer, numeric) is
  'The depreciated value of an item, half-up to cents; null when it is not computable.';
