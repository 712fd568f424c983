-- Locks or unlocks an analyst's login. A login of an archived studio stays locked. Runs with the
-- rights of the caller, an administrator. Open sessions go on: access.end_sessions() ends them.
-- Raises SI404 when there is no such login.
--   login   the name of the role
--   locked  true: no new session; false: sessions again
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
