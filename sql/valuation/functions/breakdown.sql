-- The valuation of an item with its derivation: terms in force, current period, sources, result.
--   revalue_on  the day on which it changes without a write; null: never
do $$
begin
  if pg_catalog.to_regtype('valuation.breakdown') is null then
    create type valuation.breakdown as (
      depreciation_method text, -- this and the next two are the terms in force
      useful_life_months integer,
      residual_value numeric,
      depreciates_from date,
      months numeric, -- the months of depreciation by that day; negative before it begins
      first_year_months numeric,
      annual_rate numeric(42,40),
      given_rate numeric,
      switches text, -- only a declining method has this and the rates
      changed_on date, -- the day from which these terms hold; null: from the beginning
      carried_value numeric, -- the value with which these terms began
      changed_at_age numeric,
      past_years integer,
      began numeric, -- the age at which the period begins
      opening_value numeric,
      charge numeric,
      period_months numeric,
      months_in_period numeric,
      depreciated_value numeric,
      book_value numeric,
      market_value numeric,
      current_estimated_value numeric,
      value_source text,
      coverage_state text,
      gap_amount numeric,
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.breakdown is 'How the value of an item comes about, and the value.';
