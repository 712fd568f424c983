-- The valuation of each item that is not archived, as its JSON text, with the columns that filter
-- and order it. For the REST service. An item whose projection is missing has nulls.
-- spec: Item object, the valuation fields of the detail.
create or replace view service.valuation_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state, v.value_source, i.location_id, i.words,
  row_to_json((select valuation from (select
    i.id as item_id, v.current_estimated_value::numeric as current_estimated_value, v.value_source,
    null::numeric as agreed_value_from_policy, v.coverage_state, v.gap_amount,
    i.purchase_price::numeric as purchase_price, i.reported_insured_value::numeric as reported_insured_value,
    api_v1.rfc3339(i.updated_at) as updated_at
  ) as valuation))::text as document
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
where i.archived_at is null;

comment on view service.valuation_documents is 'The valuation of each item as JSON text, for the REST service.';
