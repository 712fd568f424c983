-- Gives the share of its value that an item loses in a year by a declining method. It is at most 1,
-- and null for any other method.
--   given  the item's own rate in percent. Null: the rate is 150 % (declining_balance) or 200 %,
--          divided by the useful life in years
create or replace function valuation.annual_rate(method text, life integer, given numeric) returns numeric
language sql immutable security invoker parallel safe
return case
  when method not in ('declining_balance', 'double_declining_balance') then null
  when given is not null then least(given / 100, 1)::numeric(42,40)
  else least((case method when 'declining_balance' then 18 else 24 end)::numeric(42,40) / life, 1)
end;

comment on function valuation.annual_rate(text, integer, numeric) is 'The annual rate of a declining method.';
