-- The list's items as JSON text, with the columns that filter and order them. For the REST service.
-- Each item stores its text; of one not written since the column was added, reading makes it.
create or replace view service.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, (select row_to_json(l)::text from service.listed_items l where l.id = i.id)) as document,
  i.barcode, i.serial_number, i.words, i.tags, i.short_tags, i.acquisition_date, i.location_id, i.name,
  i.reported_insured_value::numeric as reported_insured_value
from app.items i
where i.archived_at is null;

comment on view service.item_documents is 'The items of the list as JSON text, for the REST service.';
