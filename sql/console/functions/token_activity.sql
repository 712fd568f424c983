-- access.token_activity() for members of the studio. Raises what console.membership() raises.
create or replace function console.token_activity(
  session_digest bytea, studio_id uuid, token_id uuid, request_id uuid default null
) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real, token uuid, request uuid, details jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, token_activity.studio_id);
  return query select a.*
    from access.token_activity(token_activity.studio_id, token_activity.token_id, token_activity.request_id) a;
end
$$;

comment on function console.token_activity(bytea, uuid, uuid, uuid) is
  'The last 100 requests of a token, or the request with an id.';
