-- Says how many months an item depreciates in its first year. valuation.starts_on() explains the
-- conventions on which this depends.
create or replace function valuation.first_year_months(convention text, year_starts integer, starts_on date) returns numeric
language sql immutable security invoker parallel safe
return case convention
  when 'item' then 12
  when 'half_year' then 6
  when 'day' then 12 - 12::numeric(42,40) * (starts_on - valuation.year_of(starts_on, year_starts))
    / ((valuation.year_of(starts_on, year_starts) + interval '1 year')::date - valuation.year_of(starts_on, year_starts))
  else 12 - (pg_catalog.date_part('month', starts_on)::integer - year_starts + 12) % 12
    - case when convention = 'mid_month' then 0.5 else 0 end
end;

comment on function valuation.first_year_months(text, integer, date) is 'How many months the first year of an item has.';
