-- Unmaps an analyst's login: after the commit, open sessions see no rows. Runs with the caller's
-- rights, an administrator's. Commit it before any step that the analyst can delay. Returns the
-- login's role; null if it was dropped. Raises SI404 for an unknown login.
create or replace function access.unmap_analyst(login text) returns oid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
begin
  delete from access.analyst_logins l where l.login = known;
  return (select r.oid from pg_catalog.pg_roles r where r.rolname = known);
end
$$;

comment on function access.unmap_analyst(text) is 'Unmaps an analyst''s login; for administrators.';
