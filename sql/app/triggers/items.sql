-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_hold_currency before insert on app.items
  for each statement execute function app.hold_currency();
create or replace trigger a_require_session before update or delete on app.items
  for each row execute function app.require_session();
-- app.require_session() gives the same answer where the setting studio.id counts, and costs ten
-- times as much. Where the setting does not count (access.current_studio_id()), nobody may insert,
-- and the policies refuse the row.
create or replace trigger a_require_session_of_new before insert on app.items
  for each row when (new.studio_id::text is distinct from pg_catalog.current_setting('studio.id', true))
  execute function app.require_session();
create or replace trigger b_amounts before update of purchase_price, residual_value, manual_value, replacement_cost,
    reported_insured_value, disposal_proceeds on app.items
  for each row execute function app.settle_amounts();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.items
  for each row execute function app.store_document();
-- It always runs. A writer that skips triggers, such as replication, would leave wrong documents.
alter table app.items enable always trigger d_store_document;

create or replace trigger project_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.project_items();
create or replace trigger project_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.project_items();

create or replace trigger count_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.count_items();
create or replace trigger count_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.count_items();
create or replace trigger count_deleted after delete on app.items
  referencing old table as before for each statement execute function app.count_items();

create or replace trigger copy_to_maintenance after update on app.items
  referencing old table as before new table as changed for each statement
  execute function app.copy_item_to_maintenance();

create or replace trigger bump_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.items
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_deleted after delete on app.items
  referencing old table as before for each statement execute function app.remove_items();
