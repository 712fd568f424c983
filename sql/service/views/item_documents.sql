-- The list's items as JSON text, with the columns that filter and order them. For the REST service.
-- Each item stores its text, except items not written since the column was added.
-- spec: Item object, the fields that are not "Detail only".
create or replace view service.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, api_v1.item_document(
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
    i.acquisition_date, i.depreciation_method, i.market_value_as_of, i.reported_insured_value, i.location_id,
    i.created_at, i.updated_at)) as document,
  i.barcode, i.serial_number, i.words, i.tags, i.short_tags, i.acquisition_date, i.location_id, i.name,
  i.reported_insured_value::numeric as reported_insured_value
from app.items i
where i.archived_at is null;

comment on view service.item_documents is 'The items of the list as JSON text, for the REST service.';
