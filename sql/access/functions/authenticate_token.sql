-- Authenticates a token: one look-up by the digest of the whole token, the membership of its effective user and the plan,
-- all at this moment. status 401: unknown or revoked, or its effective user is no current member. 403: the plan includes no API
-- access. 304: all is well, and the validator is the version of this moment. 200: all is well.
--   validator  the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.authenticate_token(token_digest bytea, validator text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.id, t.studio_id, access.api_plan(s), access.data_version(studio), access.watermark()
  into answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark
  from access.tokens t
  join app.studios studio on studio.id = t.studio_id
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  answer.status := case
    when answer.token_id is null then 401
    when answer.plan_tier is null then 403
    when answer.version = validator then 304
    else 200
  end;
  return answer;
end
$$;

comment on function access.authenticate_token(bytea, text) is
  'Authenticates a token by the sha256 digest of its text: status 200, 304, 401 or 403.';
