-- The current members of a studio by name: whom a token can be scoped to. For owners and admins.
-- Raises what console.manager raises.
create or replace function console.list_members(session_digest bytea, studio_id uuid) returns table (
  user_id uuid, name text, email text, role text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_members.studio_id);
  return query
    select u.id, access.display_name(u), u.email, m.role
    from access.members m join access.users u on u.id = m.user_id
    where m.studio_id = list_members.studio_id
    order by pg_catalog.lower(access.display_name(u)), u.email;
end
$$;

comment on function console.list_members(bytea, uuid) is 'The current members of a studio, for its owners and admins.';
