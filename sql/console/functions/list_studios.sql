-- The studios of which a session's user is a member now, by name, with what the pages about them
-- need. Leaves out studios that are archived or being removed.
--   public_api   whether the studio has API tokens at all
--   may_manage   whether the user is an owner or admin
--   plan         the plan by which tokens can be created now; null when there is none
--   currency     the currency of the studio's amounts
--   timezone     the time zone of the studio's calendar, an IANA name
--   user_name    how this studio names the user
-- Returns no row without a session, so that an unknown cookie costs no failed statement.
create or replace function console.list_studios(session_digest bytea) returns table (
  studio_id uuid, name text, role text, public_api boolean, may_manage boolean, plan text, currency text,
  timezone text, user_id uuid, user_name text, user_email text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      studio.id, studio.name, m.role, coalesce(s.public_api, false), m.role in ('owner', 'admin'), access.api_plan(s),
      studio.currency, studio.timezone, u.id, access.display_name(u, m), u.email
    from access.console_sessions session
    join access.users u on u.id = session.user_id
    left join (
      access.members m
      join app.studios studio on studio.id = m.studio_id
      left join access.subscriptions s on s.studio_id = m.studio_id
    ) on m.user_id = u.id and s.archived_at is null and studio.removed_at is null
    where session.digest = session_digest and session.expires_at > pg_catalog.now()
    order by pg_catalog.lower(studio.name), studio.id;
end
$$;

comment on function console.list_studios(bytea) is
  'The studios of a session''s user; one row with a null studio for somebody who is a member of none.';
