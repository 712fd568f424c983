-- A change of estimate: terms that apply to an item from a day on. A null term stays as it was.
-- It depreciates the carrying amount of that day and leaves earlier days unchanged (IAS 8.36).
do $$
begin
  if pg_catalog.to_regtype('valuation.change') is null then
    create type valuation.change as (
      effective_on date,
      depreciation_method text,
      useful_life_months integer, -- since the acquisition
      residual_value numeric,
      depreciation_rate numeric,  -- percent a year
      switches_to_straight_line text -- yes, no or floor
    );
  end if;
  if pg_catalog.to_regtype('valuation.category_terms') is null then
    create type valuation.category_terms as (
      category text,
      depreciation_rate numeric, -- percent a year; null: by method and life
      switches_to_straight_line text
    );
  end if;
end
$$;

comment on type valuation.category_terms is
  'How a studio depreciates the items of a category that have no rate or switch of their own.';
comment on type valuation.change is 'A change of estimate of an item, from its day on.';
