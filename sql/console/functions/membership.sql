-- The membership by which a session's user sees a studio's tokens, read now. Raises SI401 without a
-- session, and the same SI404 for a studio that is unknown, archived, without the public API, or
-- not the user's.
-- spec: "API tokens settings, a tab shown only when the public API feature is enabled"; "members
-- get a read-only view".
create or replace function console.membership(session_digest bytea, studio_id uuid) returns access.members
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  member access.members;
begin
  select m.* into member from access.members m
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api and s.archived_at is null
  where m.studio_id = membership.studio_id and m.user_id = person;
  if member.user_id is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  return member;
end
$$;

comment on function console.membership(bytea, uuid) is
  'The membership by which a session''s user may see a studio''s tokens.';
