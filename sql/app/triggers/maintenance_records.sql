-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of cost on app.maintenance_records
  for each row execute function app.settle_amounts();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.maintenance_records
  for each row execute function app.store_document();
-- It always runs. A writer that skips triggers, such as replication, would leave wrong documents.
alter table app.maintenance_records enable always trigger d_store_document;

create or replace trigger count_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.count_maintenance();

create or replace trigger bump_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.remove_maintenance();
