-- A plan says how an item depreciates: its cost, when it starts, and its terms from each age on. An age
-- is the number of months charged since starts_on; the conventions mid_month and day give fractions of
-- months. An item has no plan if its method, price or date of acquisition is missing.
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
      switches text,      -- no, yes: to an even spread of the rest, floor: to the straight line of the term
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
