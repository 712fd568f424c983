-- Checks what an analyst whose identity was verified outside may do, and opens the studio's session
-- for the rest of the transaction: the membership and the plan, both at this moment, so that a
-- removed member reads nothing from the next request on. The person is named by user id, else by
-- e-mail (ASCII in any case); a session without a person is refused. status 401: no current member
-- of the studio. 403: the plan includes no access. 200: the session is open. spec: "Results are
-- scoped to the studio that the token's effective user belongs to. A caller never sees another
-- studio's data."
create or replace function access.open_analyst_session(studio_id uuid, user_id uuid, email text) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.members m
  join access.users u on u.id = m.user_id
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = open_analyst_session.studio_id
    and case
      when open_analyst_session.user_id is not null then u.id = open_analyst_session.user_id
      else pg_catalog.lower(u.email collate "C") = pg_catalog.lower(open_analyst_session.email collate "C")
    end;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_analyst_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_analyst_session(uuid, uuid, text) is
  'Checks the membership and the plan of an analyst and opens the studio''s session: status 200, 401 or 403.';
