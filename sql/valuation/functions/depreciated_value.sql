-- The depreciated value of an item, half-up to cents; null when it is not computable: method none, no purchase price,
-- no acquisition date. It starts at the purchase price and never falls below the residual value.
--   straight_line              loses the same amount every month of the useful life
--   declining_balance          loses 150 % / useful life in years, every year, of its value at the year's beginning
--   double_declining_balance   the same with 200 %
-- A year's loss is spread evenly over its months. It is at most what is left above the residual value, and in the year in
-- which the useful life ends all of that: at the end of its life an item has its residual value by every method. A rate
-- above 100 % (a life below two years, by 150 % below one and a half) is 100 %.
-- Years are those of the asset, from its acquisition; or financial years: then the first has first_year_months months
-- (1 to 12) and loses as many twelfths. Nothing is rounded on the way: of forty decimals twenty count, so that what is half
-- a cent exactly is rounded up although rates are periodic fractions.
-- purchase_price and residual_value are money, useful_life_months whole months, months the age in whole months.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciated_value(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric,
  first_year_months integer
) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  floor_value numeric := least(residual_value, purchase_price);
  age integer := least(greatest(months, 0), useful_life_months);
  annual_rate numeric(42, 40);
  years integer; -- that are over
  began integer; -- the month in which the year began
  year_months integer;
  opening numeric; -- the value at the year's beginning
  charge numeric; -- what the year takes off
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  elsif method = 'straight_line' then
    return round(purchase_price - (purchase_price - floor_value) * age / useful_life_months, 2);
  elsif age = useful_life_months then
    return round(floor_value, 2);
  end if;

  annual_rate := least((case method when 'declining_balance' then 18 else 24 end)::numeric(42, 40) / useful_life_months, 1);
  if age < first_year_months then
    years := 0;
    began := 0;
    year_months := first_year_months;
    opening := purchase_price;
  else
    years := 1 + (age - first_year_months) / 12;
    began := first_year_months + 12 * (years - 1);
    year_months := 12;
    opening := greatest(
      purchase_price * (1 - annual_rate * first_year_months / 12) * power(1 - annual_rate, years - 1), floor_value);
  end if;
  charge := opening - floor_value;
  if useful_life_months - began > year_months then
    charge := least(charge, opening * annual_rate * year_months / 12);
  end if;
  return round(
    round(opening - charge * (age - began) / least(year_months, useful_life_months - began), 20), 2);
end
$$;

comment on function valuation.depreciated_value(text, numeric, integer, integer, numeric, integer) is
  'The depreciated value of an item, half-up to cents; null when it is not computable.';
