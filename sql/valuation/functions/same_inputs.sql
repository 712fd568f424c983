-- Whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return (
  before.category, before.purchase_price, before.acquisition_date, before.depreciation_method,
  before.useful_life_months, before.residual_value, before.manual_value, before.replacement_cost,
  before.reported_insured_value, before.market_value
) is not distinct from (
  after.category, after.purchase_price, after.acquisition_date, after.depreciation_method,
  after.useful_life_months, after.residual_value, after.manual_value, after.replacement_cost,
  after.reported_insured_value, after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
