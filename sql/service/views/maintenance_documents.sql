-- The list's maintenance records as JSON text, with the columns that filter and order them. For the
-- REST service. Each record stores its text, except records not written since the column was added.
create or replace view service.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, api_v1.maintenance_document(
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date, m.cost,
    m.vendor, m.description, m.created_at, m.updated_at)) as document,
  m.scheduled_date
from app.maintenance_records m
where not m.item_archived;

comment on view service.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
