-- Unmaps an analyst's login: from its commit on, the next statement of an open session sees no row.
-- To be run by an administrator, with whose rights it runs, and committed before anything is tried
-- that the analyst can delay. Returns the login's role; null when it is gone. Raises SI404 when
-- there is no such login.
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
