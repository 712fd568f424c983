-- Depreciates an item; null when it is not computable: method none, no purchase price, no acquisition date. The value starts
-- at the purchase price and never falls below the residual value.
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
create or replace function valuation.depreciate(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric,
  first_year_months integer
) returns valuation.depreciation
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  d valuation.depreciation;
  floor_value numeric := least(residual_value, purchase_price);
  age integer := least(greatest(months, 0), useful_life_months);
  began integer := 0; -- the month in which the period began
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  end if;

  d.opening_value := purchase_price;
  d.charge := purchase_price - floor_value;
  d.period_months := useful_life_months;
  if method <> 'straight_line' then
    d.annual_rate := least(
      (case method when 'declining_balance' then 18 else 24 end)::numeric(42, 40) / useful_life_months, 1);
    d.past_years := 0;
    d.period_months := first_year_months;
    -- The end of its life is the end of the last year, and not the beginning of another.
    if least(age, useful_life_months - 1) >= first_year_months then
      d.past_years := 1 + (least(age, useful_life_months - 1) - first_year_months) / 12;
      began := first_year_months + 12 * (d.past_years - 1);
      d.period_months := 12;
      d.opening_value := greatest(
        purchase_price * (1 - d.annual_rate * first_year_months / 12) * power(1 - d.annual_rate, d.past_years - 1),
        floor_value);
      d.charge := d.opening_value - floor_value;
    end if;
    if useful_life_months - began > d.period_months then
      d.charge := least(d.charge, d.opening_value * d.annual_rate * d.period_months / 12);
    else
      d.period_months := useful_life_months - began;
    end if;
  end if;
  d.months_in_period := age - began;
  d.value := round(round(d.opening_value - d.charge * d.months_in_period / d.period_months, 20), 2);
  return d;
end
$$;

comment on function valuation.depreciate(text, numeric, integer, integer, numeric, integer) is
  'Depreciates an item: the arithmetic, and the value half-up to cents; null when it is not computable.';
