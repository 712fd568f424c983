-- The triggers of app.market_value_history, which never changes.
create or replace trigger a_require_session before insert on app.market_value_history
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.market_value_history
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.market_value_history
  for each statement execute function app.keep();
