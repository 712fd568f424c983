-- The triggers of app.studios. Triggers of one event run in the order of their names.
create or replace trigger b_check before insert or update on app.studios
  for each row execute function app.check_studio();
create or replace trigger c_touch before update on app.studios
  for each row execute function app.touch();
create or replace trigger bump after insert or update on app.studios
  for each row execute function app.bump_own_data_version('id');
create or replace trigger change_time_zone after update of timezone on app.studios
  for each row when (old.timezone <> new.timezone) execute function app.change_time_zone();
create or replace trigger change_currency after update of currency on app.studios
  for each row when (old.currency <> new.currency) execute function app.change_currency();
