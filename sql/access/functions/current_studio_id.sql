-- The studio that this session may see; null when there is none. Every row-level-security policy
-- compares with it.
--
-- It depends on session_user, which no SET can change. The setting studio.id counts for the
-- service's own pool logins and for administrators, who could become the owner anyway. Everybody
-- else is an analyst, whose studio is in access.analyst_logins; one that is archived shows nothing.
-- A setting that is missing, empty or no uuid gives null (no rows), never an error. spec: "A caller
-- never sees another studio's data."
create or replace function access.current_studio_id() returns uuid
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  setting text;
begin
  if session_user in ('studio_api', 'studio_writer', 'studio_console', 'studio_graphql')
     or pg_catalog.pg_has_role(session_user, 'studio_owner', 'member') then
    setting := pg_catalog.current_setting('studio.id', true);
    -- The five groups of a UUID. A regular expression would take four times as long.
    if setting like '________-____-____-____-____________'
       and pg_catalog.translate(setting, '0123456789abcdef', '') = '----' then
      return setting::uuid;
    end if;
    return null;
  end if;
  return (
    select l.studio_id from access.analyst_logins l
    where l.login = session_user and not exists (
      select from access.subscriptions s where s.studio_id = l.studio_id and s.archived_at is not null));
end
$$;

comment on function access.current_studio_id() is
  'The studio that this session may see, by its login; null when there is none.';
