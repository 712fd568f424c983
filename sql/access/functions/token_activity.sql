-- The last 100 requests of a token, newest first. status 401: sent from an address that the token
-- does not accept.
--   token_id    null: all tokens of the studio
--   request_id  only the request with this X-Request-Id; null: all
-- details, null after 90 days: {"query": parameters with values, "ignored": names of unknown
-- parameters, "address", "agent": User-Agent, "bytes": of the body, "cached": answered from the
-- cache}. query and agent are truncated and never contain the token.
-- spec: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
-- response time".
create or replace function access.token_activity(studio_id uuid, token_id uuid, request_id uuid default null)
returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real, token uuid, request uuid, details jsonb
)
language sql stable security definer
set search_path = ''
begin atomic
  select a.at, a.endpoint, a.status, a.duration_ms, a.token_id, a.request_id, a.details
  from access.request_activity a
  where a.studio_id = token_activity.studio_id
    and (token_activity.token_id is null or a.token_id = token_activity.token_id)
    and (token_activity.request_id is null or a.request_id = token_activity.request_id)
  order by a.at desc, a.id desc
  limit 100;
end;

comment on function access.token_activity(uuid, uuid, uuid) is
  'The last 100 requests of a token, newest first, or the request with an id.';
