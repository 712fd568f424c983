-- The user of a console session, by the sha256 digest of its secret, which stays in the browser.
-- Raises SI401 for an unknown or expired session.
create or replace function console.signed_in(session_digest bytea) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select s.user_id into person from access.console_sessions s
  where s.digest = session_digest and s.expires_at > pg_catalog.now();
  if person is null then
    raise exception 'nobody is signed in' using errcode = 'SI401';
  end if;
  return person;
end
$$;

comment on function console.signed_in(bytea) is 'The user of a console session.';
