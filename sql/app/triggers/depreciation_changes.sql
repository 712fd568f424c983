-- The triggers of app.depreciation_changes. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.depreciation_changes
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of residual_value on app.depreciation_changes
  for each row execute function app.settle_amounts();

create or replace trigger copy_inserted after insert on app.depreciation_changes
  referencing new table as changed for each statement execute function app.copy_depreciation_changes();
create or replace trigger copy_updated after update on app.depreciation_changes
  referencing old table as before new table as changed for each statement execute function app.copy_depreciation_changes();
create or replace trigger copy_deleted after delete on app.depreciation_changes
  referencing old table as before for each statement execute function app.copy_depreciation_changes();
