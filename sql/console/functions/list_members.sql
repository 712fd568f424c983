-- A studio's members by name, with what their removal does, for owners and admins; see
-- access.list_members.
-- Raises what console.administrator raises.
create or replace function console.list_members(session_digest bytea, studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, list_members.studio_id);
  return query select m.* from access.list_members(list_members.studio_id) m;
end
$$;

comment on function console.list_members(bytea, uuid) is 'The current members of a studio, for its owners and admins.';
