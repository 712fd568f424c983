-- An item as the JSON text of a list, from the columns of app.items. The trigger
-- app.store_document() stores it with the item. PostgreSQL inlines the expression; a sub-select,
-- or another function, would take twice to four times as long for each row that is written. Null
-- is null in JSON, amounts have their currency's decimals, moments are as api_v1.rfc3339() writes
-- them.
-- spec: Item object, the fields that are not "Detail only".
create or replace function api_v1.item_document(
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, tags text[],
  purchase_price numeric, acquisition_date date, depreciation_method text, market_value_as_of timestamptz,
  reported_insured_value numeric, location_id uuid, created_at timestamptz, updated_at timestamptz
) returns text
language sql stable security invoker
return row_to_json(row(
  id, name, manufacturer, model, serial_number, barcode, category, tags, purchase_price, acquisition_date,
  depreciation_method, api_v1.rfc3339(market_value_as_of), reported_insured_value, location_id,
  api_v1.rfc3339(created_at), api_v1.rfc3339(updated_at)
)::api_v1.listed_item)::text;

comment on function api_v1.item_document(
  uuid, text, text, text, text, text, text, text[], numeric, date, text, timestamptz, numeric, uuid, timestamptz, timestamptz) is
  'An item as the JSON text of a list.';
