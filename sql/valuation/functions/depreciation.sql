-- How an item depreciates, as on paper: value = opening_value - charge * months_in_period / period_months, half-up to
-- cents. The period is the useful life by the straight line, else the year that the age falls into.
do $$
begin
  if pg_catalog.to_regtype('valuation.depreciation') is null then
    create type valuation.depreciation as (
      annual_rate numeric(42,40), -- of a declining method; else null
      past_years integer,         -- that are over when the period begins; of a declining method
      opening_value numeric,      -- at the beginning of the period, not rounded
      charge numeric,             -- what the whole period takes off, not rounded
      period_months integer,
      months_in_period integer,   -- of which so many are over
      value numeric
    );
  end if;
end
$$;

comment on type valuation.depreciation is 'How an item depreciates: the arithmetic of one moment, and its value.';
