-- The maintenance records as the list shows them, in the order of the JSON, moments as text. The
-- row that row_to_json() takes; app.store_document() gives each column the same value.
-- spec: Maintenance record object.
create or replace view service.listed_maintenance with (security_invoker = true) as
select
  m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
  m.cost::numeric as cost, m.vendor, m.description, api_v1.rfc3339(m.created_at) as created_at,
  api_v1.rfc3339(m.updated_at) as updated_at
from app.maintenance_records m
where not m.item_archived;

comment on view service.listed_maintenance is 'Maintenance records as the list shows them, for the REST service.';
