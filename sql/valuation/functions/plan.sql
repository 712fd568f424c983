-- How an item depreciates: its cost, when it begins, and the terms that hold from some age on. Ages are months since starts_on, as many as
-- are charged: by mid_month a half, by day fractions of a year's twelve. Null when it is not computable: method none throughout, no
-- purchase price, no acquisition date.
do $$
begin
  if pg_catalog.to_regtype('valuation.plan') is null then
    create type valuation.term as (
      age numeric,
      method text,
      life integer,       -- months in all; by a given rate without a switch it does not count
      residual_value numeric,
      rate numeric(42,40), -- a year, of a declining method; else null
      given_rate numeric, -- percent, where it was given
      switches boolean,
      effective_on date   -- null: from the beginning
    );
    create type valuation.plan as (
      cost numeric,
      decimals integer,
      starts_on date,
      convention text,    -- item: by the months and years of the item itself
      year_starts integer,
      first_year_months numeric,
      terms valuation.term[]
    );
  end if;
end
$$;

comment on type valuation.term is 'The terms by which an item depreciates from some age on.';
comment on type valuation.plan is 'How an item depreciates: cost, beginning and terms.';
