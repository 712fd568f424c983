-- Opens a console session for the user with an e-mail that a trusted issuer has vouched for.
--   assertion_digest   sha256 of the bytes that the issuer signed; they open one session only
--   assertion_expires  until when the assertion could be used
--   session_digest     sha256 of the session's secret
-- Raises SI404 for an e-mail of nobody, SI409 for an assertion that was used before.
create or replace function console.sign_in(
  email text, assertion_digest bytea, assertion_expires timestamptz, session_digest bytea, expires timestamptz
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  delete from access.console_sessions s where s.expires_at < pg_catalog.now();
  if not console.use_once(assertion_digest, assertion_expires) then
    raise exception 'this sign-in was used before' using errcode = 'SI409';
  end if;
  select u.id into person from access.users u
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(sign_in.email collate "C");
  if person is null then
    raise exception 'nobody here has this e-mail' using errcode = 'SI404';
  end if;
  insert into access.console_sessions (digest, user_id, expires_at) values (session_digest, person, expires);
end
$$;

comment on function console.sign_in(text, bytea, timestamptz, bytea, timestamptz) is
  'Opens a console session for a user that a trusted issuer has vouched for.';
