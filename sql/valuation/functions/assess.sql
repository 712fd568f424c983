-- What the rules of valuation say of one item as of a day, with the market value that it has now: valuation.work_out().
create or replace function valuation.assess(
  item app.items, category app.categories, as_of date, financial_year_start_month integer
)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  w valuation.workings := valuation.work_out(item, category, item.market_value, as_of, financial_year_start_month);
begin
  return (w.current_estimated_value, w.value_source, w.coverage_state, w.gap_amount, w.revalue_on)::valuation.assessment;
end
$$;

comment on function valuation.assess(app.items, app.categories, date, integer) is
  'Applies the rules of valuation to one item as of a day.';
