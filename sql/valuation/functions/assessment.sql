-- The valuation of one item.
--   revalue_on  the day on which it changes without a write; null: never
do $$
begin
  if pg_catalog.to_regtype('valuation.assessment') is null then
    create type valuation.assessment as (
      current_estimated_value numeric,
      value_source text,
      coverage_state text,
      gap_amount numeric,
      book_value numeric,
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.assessment is 'What the rules of valuation say of one item.';
