-- The value of an item at an age, rounded half up to the currency's minor unit.
-- A value computed with a periodic rate such as 1/3 can end just below half a cent that it should
-- reach. So it is rounded to 20 decimals first, and then to the minor unit.
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
