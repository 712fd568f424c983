-- The value of an item at an age, by a declining method without a switch. It gives in one step what
-- valuation.depreciate() and valuation.worth() give together.
--   floor_value   the residual value, at most the cost
--   life          in months. Null: no life ends the decline, which stops only at floor_value
create or replace function valuation.declined(
  cost numeric, floor_value numeric, life integer, rate numeric, first_year_months numeric, age numeric, decimals integer
) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  years integer; -- that are over
  opening numeric := cost;
  began numeric := 0;
  months numeric := first_year_months;
  charge numeric;
begin
  if age >= life then
    return round(floor_value, decimals);
  end if;
  if age >= first_year_months then
    years := floor((age - first_year_months) / 12) + 1;
    opening := greatest(floor_value, cost * (1 - rate * first_year_months / 12) * power(1 - rate, years - 1));
    began := first_year_months + 12 * (years - 1);
    months := 12;
  end if;
  if age <= began then
    return round(round(opening, 20), decimals);
  elsif began + months >= life then
    months := life - began;
    charge := opening - floor_value;
  else
    charge := least(opening * rate * months / 12, opening - floor_value);
  end if;
  return round(round(opening - charge * (age - began) / months, 20), decimals);
end
$$;

comment on function valuation.declined(numeric, numeric, integer, numeric, numeric, numeric, integer) is
  'The value of an item at an age by a declining method without a switch.';
