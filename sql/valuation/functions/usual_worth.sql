-- Gives the value of an item at an age in months, by the terms that valuation.item_terms() returns for
-- an item without a plan (is_usual).
create or replace function valuation.usual_worth(
  cost numeric, floor_value numeric, life integer, rate numeric, first_year_months numeric, age numeric, decimals integer
) returns numeric
language sql immutable security invoker parallel safe
return case when rate is null
  then round(round(cost - (cost - floor_value) * least(greatest(age, 0), life) / life, 20), decimals)
  else valuation.declined(cost, floor_value, life, rate, first_year_months, age, decimals)
end;

comment on function valuation.usual_worth(numeric, numeric, integer, numeric, numeric, numeric, integer) is
  'The value of an item on the usual terms at an age.';
