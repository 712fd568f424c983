-- Authenticates many tokens in one statement, each with its client's address (null: unknown). Skips
-- the work if nothing changed since known_state. Reads no data and opens no session.
--   token_digests     of 32 bytes each, one after the other
--   client_addresses  one for each token
--   known_state       the state (access.current_state()) in which these tokens were last
--                     authenticated; null: none
-- Returns null when the state is the same: the previous results are still valid. Otherwise JSON:
--   state      the next known_state; null when something may change within this second
--   watermark  access.current_watermark.at
--   tokens     the result of access.open_session() for each: [status, token_id, studio_id,
--              plan_tier, version]; status 200, 401 or 403, without a validator
-- Looks up each token and version by its key (offset 0), because the planner does not know how many
-- there are.
create or replace function access.authenticate_batch(token_digests bytea, client_addresses inet[], known_state text)
returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  state text := access.current_state();
begin
  if state = known_state then
    return null;
  end if;
  return (
    select pg_catalog.json_build_object(
      'state', case when not pg_catalog.bool_or(t.changes_this_second is true) then state end,
      'watermark', pg_catalog.min(w.at)::text,
      'tokens', pg_catalog.json_agg(
        pg_catalog.json_build_array(
          coalesce(t.status, 401), t.token_id, t.studio_id, t.plan_tier, v.version)
        order by asked.place))
    from pg_catalog.unnest(client_addresses) with ordinality as asked (address, place)
    left join lateral (
      select r.token_id, r.changes_this_second, here.status, here.studio_id, here.plan_tier
      from access.recognised_tokens r
      left join lateral (select r.status, r.studio_id, r.plan_tier) as here
        on r.addresses is null or asked.address <<= any (r.addresses)
      where r.digest = pg_catalog.substr(token_digests, 32 * (asked.place - 1)::integer + 1, 32) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w);
end
$$;

comment on function access.authenticate_batch(bytea, inet[], text) is
  'Authenticates many tokens in one statement, in their order, unless nothing has changed.';
