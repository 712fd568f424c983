-- The list's maintenance records as JSON text, with the columns that filter and order them. For the
-- REST service. Each record stores its text; of one not written since the column was added, reading
-- makes it.
create or replace view service.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, (select row_to_json(l)::text from service.listed_maintenance l where l.id = m.id)) as document,
  m.scheduled_date
from app.maintenance_records m
where not m.item_archived;

comment on view service.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
