-- Gives an analyst's login another password and another end. To be run by an administrator, with
-- whose rights it runs, while the login is locked (access.lock_analyst) and has no session: one
-- that is open could set the old password again. Unlock it when no login is in progress any more
-- that began before: it may have begun with the old password.
-- Raises SI404 (no such login, or one that is mapped to no studio any more), 22023 (a value).
create or replace function access.rotate_analyst(login text, verifier text, valid_until timestamptz) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  mapping access.analyst_logins;
begin
  if verifier !~ '^SCRAM-SHA-256\$\d+:' then
    raise exception 'the password has to be handed over as its SCRAM verifier' using errcode = '22023';
  elsif valid_until is null or valid_until <= pg_catalog.now() then
    raise exception 'valid_until must be in the future' using errcode = '22023';
  end if;
  select l.* into mapping from access.analyst_logins l where l.login = known for update;
  if not found or not exists (select from pg_catalog.pg_roles r where r.rolname = known) then
    raise exception 'the login % is unmapped or was dropped: create another one', known using errcode = 'SI404';
  end if;
  execute pg_catalog.format('alter role %I password %L valid until %L', known, verifier, valid_until);
  insert into access.analyst_log (login, event, studio_id, user_id, done_by)
  values (known, 'rotated', mapping.studio_id, mapping.user_id, session_user);
end
$$;

comment on function access.rotate_analyst(text, text, timestamptz) is
  'Gives an analyst''s login another password and another end; for administrators.';
