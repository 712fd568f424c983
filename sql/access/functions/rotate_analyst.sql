-- Gives an analyst's login another password and another end, with the rights of the caller, an
-- administrator. First lock the login (access.lock_analyst()) and end its sessions: an open one
-- could set the old password again. Unlock it once every login that began before has ended: it may
-- use the old password. Forgets how often it wrote. Raises SI404 when the login does not exist or has no studio, 22023 for a
-- value.
--   login        the name of the role
--   verifier     the password's SCRAM-SHA-256 verifier
--   valid_until  when the password ends, in the future
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
  update access.analyst_logins l set writes = 0, wrote_at = null where l.login = known;
  insert into access.analyst_log (login, event, studio_id, user_id, done_by)
  values (known, 'rotated', mapping.studio_id, mapping.user_id, session_user);
end
$$;

comment on function access.rotate_analyst(text, text, timestamptz) is
  'Gives an analyst''s login another password and another end; for administrators.';
