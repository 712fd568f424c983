-- The triggers of app.item_photos. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.item_photos
  for each row execute function app.require_session();

create or replace trigger touch_items_inserted after insert on app.item_photos
  referencing new table as changed for each statement execute function app.touch_photographed_items();
create or replace trigger touch_items_updated after update on app.item_photos
  referencing old table as before new table as changed for each statement
  execute function app.touch_photographed_items();
create or replace trigger touch_items_deleted after delete on app.item_photos
  referencing old table as before for each statement execute function app.touch_photographed_items();
