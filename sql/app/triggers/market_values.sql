-- The triggers of app.market_values. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.market_values
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of value on app.market_values
  for each row execute function app.settle_amounts();

create or replace trigger copy_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.copy_market_values();

create or replace trigger record_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.record_market_values();
