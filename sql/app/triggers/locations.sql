-- The triggers of app.locations. Triggers of one event run in the order of their names.
create or replace trigger a_hold_plan before insert or update of is_default or delete on app.locations
  for each statement execute function app.hold_plan();
create or replace trigger a_require_session before insert or update or delete on app.locations
  for each row execute function app.require_session();
create or replace trigger b_check before delete on app.locations
  for each row execute function app.check_location();
create or replace trigger c_touch before update on app.locations
  for each row execute function app.touch();

create or replace trigger check_plan after insert on app.locations
  for each row execute function app.check_location();
drop trigger if exists require_default on app.locations;
create constraint trigger require_default after update of is_default on app.locations
  deferrable initially deferred for each row when (old.is_default and not new.is_default)
  execute function app.require_default_location();

create or replace trigger bump_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.remove_locations();

create or replace trigger refuse_cycle_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.refuse_cycle();
create or replace trigger refuse_cycle_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.refuse_cycle();
