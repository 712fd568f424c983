-- The analysts' logins that this database has ever mapped, newest first: of one studio, or of all
-- (null).
--   state  active · expired (its end has passed, or it may not log in) · unmapped (it sees nothing)
--          · dropped · missing (mapped, but its role was dropped by somebody else)
create or replace function access.list_analysts(studio_id uuid) returns table (
  login name, studio_name text, for_email text, state text, created_at timestamptz, created_by name,
  valid_until timestamptz, connections integer, sessions bigint, statement_limit interval
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    made.login, s.name, u.email,
    case
      when r.oid is null then case when l.login is null then 'dropped' else 'missing' end
      when l.login is null then 'unmapped'
      when not r.rolcanlogin or r.rolvaliduntil <= pg_catalog.now() then 'expired'
      else 'active'
    end,
    made.at, made.done_by, r.rolvaliduntil, r.rolconnlimit,
    (select pg_catalog.count(*) from pg_catalog.pg_stat_activity a where a.usesysid = r.oid),
    l.statement_limit
  from (
    select distinct on (g.login) g.login, g.studio_id, g.user_id, g.at, g.done_by
    from access.analyst_log g
    where g.event = 'mapped'
    order by g.login, g.id desc
  ) as made
  join app.studios s on s.id = made.studio_id
  left join access.users u on u.id = made.user_id
  left join access.analyst_logins l on l.login = made.login
  left join pg_catalog.pg_roles r on r.rolname = made.login
  where list_analysts.studio_id is null or made.studio_id = list_analysts.studio_id
  order by made.at desc, made.login;
end;

comment on function access.list_analysts(uuid) is 'The analysts'' logins that were ever mapped to a studio, newest first.';
