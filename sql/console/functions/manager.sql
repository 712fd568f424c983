-- The session's user, who must be an owner or admin of the studio at this moment.
-- Raises what console.membership raises, and 42501 for a member.
-- spec: "Owners and admins can create and revoke tokens; members get a read-only view".
create or replace function console.manager(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  membership access.members := console.membership(session_digest, studio_id);
begin
  if membership.role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return membership.user_id;
end
$$;

comment on function console.manager(bytea, uuid) is 'The session''s user, who must be an owner or admin of the studio.';
