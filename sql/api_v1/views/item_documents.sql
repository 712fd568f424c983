-- The items of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- spec: Item object, the fields that are not "Detail only".
create or replace view api_v1.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  row_to_json((select item from (select
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
    i.purchase_price::numeric(14,2) as purchase_price, i.acquisition_date, i.depreciation_method,
    api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
    i.reported_insured_value::numeric(14,2) as reported_insured_value, i.location_id,
    api_v1.rfc3339(i.created_at) as created_at, api_v1.rfc3339(i.updated_at) as updated_at
  ) as item))::text as document
from app.items i
where i.archived_at is null;

comment on view api_v1.item_documents is 'The items of the list as JSON text, for the REST service.';
