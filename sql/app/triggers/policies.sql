-- The triggers of app.policies. Triggers of one event run in the order of their names.
create or replace trigger a_hold_time_zone before insert or update of archived_at, effective_start, effective_end on app.policies
  for each statement execute function app.hold_time_zone();
create or replace trigger a_require_session before insert or update or delete on app.policies
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of overall_limit, deductible on app.policies
  for each row execute function app.settle_amounts();
create or replace trigger c_touch before update on app.policies
  for each row execute function app.touch();

create or replace trigger bump_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.remove_policies();
