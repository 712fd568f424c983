-- For processes of version 1.0, which call it: since then access.authenticate_batch().
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none) and the address
-- of its client (null for unknown): in their order, what access.open_session() says of each. Nothing is read and no session is
-- opened. Both are looked up for each token by their keys (offset 0): the planner does not know how many there are.
--   client_addresses  null: of none is the address known
create or replace function access.authenticate_tokens(
  token_digests bytea[], validators text[], client_addresses inet[] default null
) returns setof access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  for answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark in
    select
      case when t.token_id is null then 401 when t.status = 200 and v.version = asked.validator then 304 else t.status end,
      t.token_id, t.studio_id, t.plan_tier, v.version, case when t.token_id is not null then w.at end
    from unnest(token_digests, validators, client_addresses) with ordinality as asked (digest, validator, address, place)
    left join lateral (
      select r.* from access.recognised_tokens r
      where r.digest = asked.digest and (r.addresses is null or asked.address <<= any (r.addresses)) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w
    order by asked.place
  loop
    return next answer;
  end loop;
end
$$;

comment on function access.authenticate_tokens(bytea[], text[], inet[]) is
  'Authenticates many tokens in one statement, in their order.';
