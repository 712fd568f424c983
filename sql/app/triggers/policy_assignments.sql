-- The triggers of app.policy_assignments. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.policy_assignments
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of declared_value on app.policy_assignments
  for each row execute function app.settle_amounts();
create or replace trigger c_touch before update on app.policy_assignments
  for each row execute function app.touch();

create or replace trigger touch_items_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.touch_assigned_items();
create or replace trigger touch_items_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement
  execute function app.touch_assigned_items();
create or replace trigger touch_items_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.touch_assigned_items();

create or replace trigger bump_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.bump_data_version();
