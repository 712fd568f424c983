-- The valuation of each item that is not archived, as its JSON text, with the columns that filter
-- and order it. For the REST service. An item whose projection is missing has nulls.
-- spec: Item object, the valuation fields of the detail.
create or replace view service.valuation_documents with (security_invoker = true) as
select
  v.item_id as id, v.updated_at, v.category, v.coverage_state, v.value_source, v.location_id,
  row_to_json((select valuation from (select
    v.item_id, v.current_estimated_value::numeric as current_estimated_value, v.value_source,
    null::numeric as agreed_value_from_policy, v.coverage_state, v.gap_amount,
    v.book_value::numeric as book_value, v.purchase_price::numeric as purchase_price,
    v.reported_insured_value::numeric as reported_insured_value, api_v1.rfc3339(v.updated_at) as updated_at
  ) as valuation))::text as document
from app.item_valuations v
where not v.is_archived;

comment on view service.valuation_documents is 'The valuation of each item as JSON text, for the REST service.';
