-- Records a batch of requests (parallel arrays, one element a request) and moves each token's last
-- use, unless its address was refused (401). Keeps the newest 100 requests of each token. Drops
-- requests of deleted tokens.
--   details  see access.token_activity()
-- spec: "Activity history per token: last 100 requests".
create or replace function access.record_activity(
  token_ids uuid[], ats timestamptz[], endpoints text[], statuses smallint[], durations_ms real[], request_ids uuid[],
  details jsonb[]
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Writes the tokens in the order of their ids, so that two instances cannot deadlock.
  perform from access.tokens t where t.id = any (token_ids) order by t.id for no key update;

  insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, request_id, details)
  select t.studio_id, t.id, r.at, r.endpoint, r.status, r.duration_ms, r.request_id, r.details
  from unnest(token_ids, ats, endpoints, statuses, durations_ms, request_ids, details)
    as r (token_id, at, endpoint, status, duration_ms, request_id, details)
  join access.tokens t on t.id = r.token_id
  order by r.at;

  update access.tokens t set last_used_at = used.at
  from (
    select r.token_id, max(r.at) as at from unnest(token_ids, ats, statuses) as r (token_id, at, status)
    where r.status <> 401 group by r.token_id
  ) as used
  where t.id = used.token_id and (t.last_used_at is null or t.last_used_at < used.at);

  -- Materialized, so that PostgreSQL finds the hundredth request once and not for each older one.
  with hundredth as materialized (
    select t.studio_id, t.id as token_id, newest.at, newest.id
    from access.tokens t, lateral (
      select kept.at, kept.id
      from access.request_activity kept
      where kept.studio_id = t.studio_id and kept.token_id = t.id
      order by kept.at desc, kept.id desc
      offset 99 limit 1
    ) as newest
    where t.id = any (token_ids)
  )
  delete from access.request_activity a
  using hundredth h
  where a.studio_id = h.studio_id and a.token_id = h.token_id and (a.at, a.id) < (h.at, h.id);
end
$$;

comment on function access.record_activity(uuid[], timestamptz[], text[], smallint[], real[], uuid[], jsonb[]) is
  'Records a batch of requests, moves the tokens'' last use and keeps the newest 100 requests of each.';
