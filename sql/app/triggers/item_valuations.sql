-- The triggers of app.item_valuations. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before update or delete on app.item_valuations
  for each row execute function app.require_session();
-- The trigger of app.items has the same condition, and says why.
create or replace trigger a_require_session_of_new before insert on app.item_valuations
  for each row when (new.studio_id::text is distinct from pg_catalog.current_setting('studio.id', true))
  execute function app.require_session();
create or replace trigger c_touch before update on app.item_valuations
  for each row execute function app.touch();

create or replace trigger clear_coverage after delete on app.item_valuations
  referencing old table as before for each statement execute function app.clear_coverage();

create or replace trigger bump_inserted after insert on app.item_valuations
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.item_valuations
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.item_valuations
  referencing old table as before for each statement execute function app.bump_data_version();
