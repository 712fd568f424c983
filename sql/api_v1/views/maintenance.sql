-- Leaves out the records of archived items.
-- spec: GET /maintenance — "Lists scheduled and completed maintenance per item".
create or replace view api_v1.maintenance with (security_invoker = true) as
select
  m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
  m.cost::numeric as cost, m.vendor, m.description, m.created_at, m.updated_at
from app.maintenance_records m
where not m.item_archived;

comment on view api_v1.maintenance is 'Scheduled and completed maintenance of items that are not archived.';
comment on column api_v1.maintenance.id is 'Unique id of the record: the key of this view.';
comment on column api_v1.maintenance.item_id is 'The item that is maintained, joins items.id.';
comment on column api_v1.maintenance.item_name is 'Name of that item; null when unavailable.';
comment on column api_v1.maintenance.title is 'What is done.';
comment on column api_v1.maintenance.maintenance_type is
  'preventive, repair, calibration, inspection, cleaning, upgrade or other; null when not recorded.';
comment on column api_v1.maintenance.status is 'scheduled or completed.';
comment on column api_v1.maintenance.scheduled_date is 'When it is due; null when not set.';
comment on column api_v1.maintenance.completed_date is 'When it was completed; null until then.';
comment on column api_v1.maintenance.cost is 'Cost in the studio''s currency; null when not recorded.';
comment on column api_v1.maintenance.vendor is 'Who does it; null when not recorded.';
comment on column api_v1.maintenance.description is 'Free text; null when not recorded.';
comment on column api_v1.maintenance.created_at is 'When the record was made.';
comment on column api_v1.maintenance.updated_at is 'When anything shown of the record last changed.';
