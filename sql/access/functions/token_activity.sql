-- The last 100 requests of a token, newest first. duration_ms is milliseconds.
-- spec: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
-- response time".
create or replace function access.token_activity(studio_id uuid, token_id uuid) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real
)
language sql stable security definer
set search_path = ''
begin atomic
  select a.at, a.endpoint, a.status, a.duration_ms
  from access.request_activity a
  where a.studio_id = token_activity.studio_id and a.token_id = token_activity.token_id
  order by a.at desc, a.id desc
  limit 100;
end;

comment on function access.token_activity(uuid, uuid) is 'The last 100 requests of a token, newest first.';
