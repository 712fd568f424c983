-- Says whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return not (
  before.category is distinct from after.category
  or before.purchase_price is distinct from after.purchase_price
  or before.acquisition_date is distinct from after.acquisition_date
  or before.depreciation_method is distinct from after.depreciation_method
  or before.useful_life_months is distinct from after.useful_life_months
  or before.residual_value is distinct from after.residual_value
  or before.depreciation_rate is distinct from after.depreciation_rate
  or before.switches_to_straight_line is distinct from after.switches_to_straight_line
  or before.depreciation_changes is distinct from after.depreciation_changes
  or before.manual_value is distinct from after.manual_value
  or before.replacement_cost is distinct from after.replacement_cost
  or before.reported_insured_value is distinct from after.reported_insured_value
  or before.market_value is distinct from after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
