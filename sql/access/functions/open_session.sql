-- Authenticates a token by its digest and opens its studio's session for the transaction.
-- Status 200; 401: access.recognised_tokens lacks the token, or the token does not accept the
-- address (token_id is then set); 403: the plan includes no API access.
--   client_address  of the request; null: unknown, which a token with an address list refuses
create or replace function access.open_session(token_digest bytea, client_address inet default null)
returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
  is_refused boolean;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier, v.version, w.until,
    (t.addresses is null or client_address <<= any (t.addresses)) is not true
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark, is_refused
  from access.recognised_tokens t
  join access.studio_versions v on v.studio_id = t.studio_id
  cross join access.current_watermark w
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif is_refused then
    answer := row(401, answer.token_id, null, null, null, null, null, null)::access.operation_row;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, inet) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
