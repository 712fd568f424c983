-- How the value of an item comes about: what the rules take from the item, what from its category, the arithmetic of the
-- depreciation (valuation.depreciation), and what follows. revalue_on is the day on which time alone changes it; null: never.
do $$
begin
  if pg_catalog.to_regtype('valuation.breakdown') is null then
    create type valuation.breakdown as (
      useful_life_months integer,
      residual_value numeric(14,2),
      depreciates_from date,
      months integer, -- whole months since then; negative before
      first_year_months integer,
      annual_rate numeric(42,40),
      past_years integer,
      opening_value numeric,
      charge numeric,
      period_months integer,
      months_in_period integer,
      depreciated_value numeric(14,2),
      market_value numeric(14,2),
      current_estimated_value numeric(14,2),
      value_source text,
      coverage_state text,
      gap_amount numeric(14,2),
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.breakdown is 'How the value of an item comes about, and the value.';
