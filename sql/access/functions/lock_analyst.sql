-- Stops an analyst's login from logging in, or lets it log in again, unless its studio is archived.
-- Runs with the rights of the caller, an administrator. Does not end open sessions:
-- access.end_sessions does. Raises SI404 when there is no such login.
create or replace function access.lock_analyst(login text, locked boolean) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
begin
  execute pg_catalog.format('alter role %I %s', known, case
    when locked or exists (
      select from access.analyst_logins l join access.subscriptions s on s.studio_id = l.studio_id
      where l.login = known and s.archived_at is not null)
    then 'nologin' else 'login' end);
end
$$;

comment on function access.lock_analyst(text, boolean) is
  'Stops an analyst''s login from logging in, or lets it log in again; for administrators.';
