-- Authenticates a token as access.authenticate_token() does and, when that says 200, opens its studio's session for the
-- rest of the transaction.
create or replace function access.open_session(token_digest bytea, validator text default null) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer := access.authenticate_token(token_digest, validator);
begin
  if answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
