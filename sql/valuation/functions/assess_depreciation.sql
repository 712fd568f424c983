-- Values any item as of a day, whether it depreciates or not. valuation.assess() calls it for those
-- that do.
create or replace function valuation.assess_depreciation(
  item app.items, category app.categories, studio app.studios, as_of date
) returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown := valuation.value_item(item, category, studio, item.market_value, as_of);
begin
  return (b.current_estimated_value, b.value_source, b.coverage_state, b.gap_amount, b.book_value, b.revalue_on)::valuation.assessment;
end
$$;

comment on function valuation.assess_depreciation(app.items, app.categories, app.studios, date) is
  'Applies the rules of valuation to one item, which may depreciate.';
