-- The items as the list shows them, in the order of the JSON, moments as text. The row that
-- row_to_json() takes; app.store_document() gives each column the same value and stores the JSON.
-- spec: Item object, the fields that are not "Detail only".
create or replace view service.listed_items with (security_invoker = true) as
select
  i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price::numeric as purchase_price, i.acquisition_date,
  case when i.depreciation_changes is null then i.depreciation_method else coalesce(
    (select c.depreciation_method from pg_catalog.unnest(i.depreciation_changes) as c
     where c.depreciation_method is not null order by c.effective_on desc limit 1), i.depreciation_method) end as depreciation_method,
  api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
  i.reported_insured_value::numeric as reported_insured_value, i.location_id,
  api_v1.rfc3339(i.created_at) as created_at, api_v1.rfc3339(i.updated_at) as updated_at
from app.items i
where i.archived_at is null;

comment on view service.listed_items is 'The items as the list shows them, for the REST service.';
