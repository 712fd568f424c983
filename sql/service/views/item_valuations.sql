-- Only the projection, so that an item stays complete if the projection cannot be read.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null".
create or replace view service.item_valuations with (security_invoker = true) as
select v.item_id, v.current_estimated_value::numeric as current_estimated_value, v.value_source, v.coverage_state,
  v.gap_amount, v.purchase_price::numeric as purchase_price,
  v.reported_insured_value::numeric as reported_insured_value, v.category, v.location_id, v.is_archived
from app.item_valuations v;

comment on view service.item_valuations is 'The valuation of each item, for the REST service.';
