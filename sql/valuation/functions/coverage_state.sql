-- Compares the insured value of an item with its estimated value (null: unknown).
-- It does not say whether insurance would pay. spec: coverage_state values.
create or replace function valuation.coverage_state(estimated_value numeric, insured_value numeric) returns text
language sql immutable security invoker parallel safe
return case
  when estimated_value is null then 'value_unknown'
  when insured_value = 0 then 'uninsured'
  when insured_value < estimated_value then 'under_covered'
  else 'fully_covered'
end;

comment on function valuation.coverage_state(numeric, numeric) is
  'fully_covered, under_covered, uninsured or value_unknown, by estimated and insured value.';
