-- Keeps for ever which login was mapped to which studio, and when: a statement in the server's log
-- can be attributed even after the login is dropped.
create or replace trigger log after insert or update or delete on access.analyst_logins
  for each row execute function access.log_analyst();
create or replace trigger append_only before update or delete on access.analyst_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.analyst_log
  for each statement execute function access.refuse_change();
