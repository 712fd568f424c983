-- A span over which an item loses value evenly: the useful life (straight line) or one year.
-- Value at an age: opening_value - charge * (age - began) / months.
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
