-- Who was mapped to which studio, from when to when, is kept for ever: a statement in the server's log stays attributable
-- when its login is long gone.
create or replace trigger log after insert or update or delete on access.analyst_logins
  for each row execute function access.log_analyst();
create or replace trigger append_only before update or delete on access.analyst_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.analyst_log
  for each statement execute function access.refuse_change();
