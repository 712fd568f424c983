-- An item loses value evenly over a period, which is its useful life (straight line) or one year. Its
-- value at an age within the period is opening_value - charge * (age - began) / months.
do $$
begin
  if pg_catalog.to_regtype('valuation.period') is null then
    create type valuation.period as (
      term integer,          -- which of the plan's
      past_years integer,    -- of the term that are over; of a declining method, else null
      began numeric,         -- an age
      months numeric,
      opening_value numeric, -- not rounded
      charge numeric         -- of the whole period, not rounded
    );
  end if;
end
$$;

comment on type valuation.period is 'A stretch in which an item loses value evenly.';
