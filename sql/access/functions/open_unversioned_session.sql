-- As access.open_session(), without a version and a watermark, for an answer that needs neither: status 200, 401 or 403.
create or replace function access.open_unversioned_session(token_digest bytea) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier
  from access.recognised_tokens t
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_unversioned_session(bytea) is
  'Authenticates a token and opens its studio''s session, without saying the version of its data: status 200, 401 or 403.';
