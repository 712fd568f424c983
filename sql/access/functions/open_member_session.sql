-- Opens a studio's session for the rest of the transaction, for the pages on which its members look
-- at it. It checks at this moment that the console session is open and that its user is a member,
-- whatever the plan and whether or not the public API is on.
--   session_digest  sha256 of the console session's secret
-- Status 200 with the studio and its version (access.studio_versions), as access.open_session() has them.
-- Raises SI401 without a session, and the same SI404 for a studio that is unknown, archived,
-- being removed, or not the user's.
-- spec: "A caller never sees another studio's data."
create or replace function access.open_member_session(session_digest bytea, studio_id uuid) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  answer access.operation_row;
  person uuid := console.signed_in(session_digest);
begin
  perform from access.members m
  join app.studios studio on studio.id = m.studio_id and studio.removed_at is null
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = open_member_session.studio_id and m.user_id = person and s.archived_at is null;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  perform pg_catalog.set_config('studio.id', open_member_session.studio_id::text, true);
  answer.status := 200;
  answer.studio_id := open_member_session.studio_id;
  select v.version into answer.version from access.studio_versions v where v.studio_id = answer.studio_id;
  return answer;
end
$$;

comment on function access.open_member_session(bytea, uuid) is
  'Opens a studio''s session for a member who is signed in to the console: status 200, the studio and its version.';
