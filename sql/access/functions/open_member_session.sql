-- Opens a studio's session for the rest of the transaction, for the pages on which its members look
-- at it. It checks at this moment that the console session is open and that its user is a member,
-- whatever the plan and whether or not the public API is on.
--   session_digest  sha256 of the console session's secret
--   today           on the studio's calendar
--   version         see access.studio_versions
-- Raises SI401 without a session, and the same SI404 for a studio that is unknown, archived,
-- being removed, or not the user's.
-- spec: "A caller never sees another studio's data."
create or replace function access.open_member_session(
  session_digest bytea, studio_id uuid, out today date, out version text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
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
  today := access.studio_today(open_member_session.studio_id);
  select v.version into version from access.studio_versions v
  where v.studio_id = open_member_session.studio_id;
end
$$;

comment on function access.open_member_session(bytea, uuid) is
  'Opens a studio''s session for a member who is signed in to the console; returns the studio''s today and version.';
