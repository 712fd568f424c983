-- Checks what the bearer of an identity of an analyst's login may do in GraphQL, and opens the
-- studio's session for the rest of the transaction. It checks everything at this moment: that the
-- login exists, is mapped to the studio, may log in, is valid and was not rotated since the
-- identity was issued, and the plan. So the end of the login ends its identities.
--   issued  when the identity was issued
-- status 401: no such login, or one that has ended. 403: the plan includes no access. 200: the
-- session is open. spec: "A caller never sees another studio's data."
create or replace function access.open_login_session(studio_id uuid, login text, issued timestamptz) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.analyst_logins l
  join pg_catalog.pg_roles r on r.rolname = l.login
  left join access.subscriptions s on s.studio_id = l.studio_id
  where l.login = open_login_session.login::name
    and l.studio_id = open_login_session.studio_id
    and r.rolcanlogin
    and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now())
    and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
    and not exists (
      select from access.analyst_log g
      where g.login = l.login and g.event = 'rotated' and g.at > coalesce(open_login_session.issued, '-infinity'));

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_login_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_login_session(uuid, text, timestamptz) is
  'Checks an analyst''s login and the plan and opens the studio''s session: status 200, 401 or 403.';
