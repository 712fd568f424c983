-- Judges a token and opens its studio's session for the rest of the transaction: one look-up by the digest of the
-- whole token, the membership of its effective user and the plan, all at this moment. status 401: unknown or revoked,
-- or its effective user is no current member. 403: the plan includes no API access. 200: the session is open.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.open_session(token_digest bytea) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
  studio uuid;
begin
  select t.id, t.studio_id, access.api_plan(s)
  into answer.token_id, studio, answer.plan_tier
  from access.tokens t
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  if answer.token_id is null then
    answer.status := 401;
  elsif answer.plan_tier is null then
    answer.status := 403;
  else
    answer.status := 200;
    perform pg_catalog.set_config('studio.id', studio::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea) is
  'Judges a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
