-- Stops an analyst's login from logging in, or lets it log in again. Runs with the rights of the
-- caller, an administrator. Does not end open sessions: access.end_sessions does. Raises SI404 when
-- there is no such login.
create or replace function access.lock_analyst(login text, locked boolean) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  execute pg_catalog.format('alter role %I %s', access.known_analyst(login), case when locked then 'nologin' else 'login' end);
end
$$;

comment on function access.lock_analyst(text, boolean) is
  'Stops an analyst''s login from logging in, or lets it log in again; for administrators.';
