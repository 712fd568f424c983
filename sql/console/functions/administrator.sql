-- The session's user, who must be an owner or admin of the studio now, whether or not its public
-- API is on. For pages that are not about tokens.
-- Raises SI401 without a session, SI404 when the user is not a member or the studio is archived or
-- being removed, 42501 for a member.
create or replace function console.administrator(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.signed_in(session_digest);
  role text;
begin
  select m.role into role from access.members m
  join app.studios studio on studio.id = m.studio_id and studio.removed_at is null
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = administrator.studio_id and m.user_id = person and s.archived_at is null;
  if role is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.administrator(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio.';
