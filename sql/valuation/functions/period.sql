-- A stretch in which an item loses value evenly: value = opening_value - charge * months since began / months. The useful life by the
-- straight line, else a year.
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
