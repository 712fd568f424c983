-- The maintenance records as JSON text, beside the columns that filter and order them. For the REST service.
create or replace view api_v1.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  row_to_json((select record from (select
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
    m.cost::numeric(14,2) as cost, m.vendor, m.description,
    api_v1.rfc3339(m.created_at) as created_at, api_v1.rfc3339(m.updated_at) as updated_at
  ) as record))::text as document
from app.maintenance_records m
where not m.item_archived;

comment on view api_v1.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
