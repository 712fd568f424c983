-- The value of an item at an age, rounded half up to the currency's minor unit.
-- First rounds 40 decimals to 20: a periodic rate would put exact half cents below the half.
create or replace function valuation.worth(periods valuation.period[], age numeric, decimals integer) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  p valuation.period;
  n integer := pg_catalog.cardinality(periods);
begin
  while n > 1 and (periods[n]).began > age loop
    n := n - 1;
  end loop;
  p := periods[n];
  return round(round(
    p.opening_value - p.charge * least(greatest(age - p.began, 0), p.months) / p.months, 20), decimals);
end
$$;

comment on function valuation.worth(valuation.period[], numeric, integer) is 'The value of an item at an age.';
