-- The triggers of app.closings and app.closed_values, which never change.
create or replace trigger a_require_session before insert on app.closings
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closings
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closings
  for each statement execute function app.keep();

create or replace trigger a_require_session before insert on app.closed_values
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closed_values
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closed_values
  for each statement execute function app.keep();
