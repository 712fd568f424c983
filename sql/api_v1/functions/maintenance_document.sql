-- A maintenance record as JSON text, from the columns of app.maintenance_records. The trigger
-- app.store_document() stores it with the record. Null is null in JSON, amounts have their
-- currency's decimals, moments are as api_v1.rfc3339() writes them.
-- spec: Maintenance record object.
create or replace function api_v1.maintenance_document(
  id uuid, item_id uuid, item_name text, title text, maintenance_type text, status text, scheduled_date date,
  completed_date date, cost numeric, vendor text, description text, created_at timestamptz, updated_at timestamptz
) returns text
language sql stable security invoker
return row_to_json(row(
  id, item_id, item_name, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor, description,
  api_v1.rfc3339(created_at), api_v1.rfc3339(updated_at)
)::api_v1.listed_maintenance)::text;

comment on function api_v1.maintenance_document(
  uuid, uuid, text, text, text, text, date, date, numeric, text, text, timestamptz, timestamptz) is
  'A maintenance record as JSON text.';
