-- Ends a console session, so that its secret is useless. An unknown session changes nothing.
create or replace function console.sign_out(session_digest bytea) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.console_sessions s where s.digest = sign_out.session_digest;
end;

comment on function console.sign_out(bytea) is 'Ends a console session.';
