-- The session's user, who must be an owner or admin of the studio at this moment. Unlike tokens, a studio's own data is there where
-- the public API is off.
-- Raises SI401 without a session, SI404 alike for a studio that does not exist and one that the user is no member of, 42501 for a member.
create or replace function console.import_manager(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  role text;
begin
  select m.role into role from access.members m
  where m.studio_id = import_manager.studio_id and m.user_id = person;
  if role is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  if role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.import_manager(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio, whether or not it has the public API.';
