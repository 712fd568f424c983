-- The service's roles, with all their memberships. Also each role that has powers on the whole
-- server, settings in this database, or a membership, even an indirect one, in a service's or
-- predefined role. Of administrators only the settings count: their name tells the rest.
, memberships (member, role, value) as (
  -- Since version 16, each grantor has a row. A role may do what any of them allows.
  select m.member, m.roleid, concat_ws(', ',
    case when bool_or(m.admin_option) then 'may let others in' end,
    case when bool_or(coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, r.rolinherit)) then 'inherits' end,
    case when bool_or(coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)) then 'may become it' end)
  from pg_auth_members m
  join pg_roles r on r.oid = m.member
  join pg_roles g on g.oid = m.roleid
  where m.member not in (select a.role from administrators a)
    -- The server's default.
    and not (r.rolname = 'pg_monitor' and g.rolname in ('pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables'))
  group by m.member, m.roleid
), powers (role, aspect, value) as (
  select r.oid, p.aspect, p.value
  from pg_roles r
  cross join lateral (values
    ('superuser', case when r.rolsuper then 'yes' end),
    ('past row-level security', case when r.rolbypassrls then 'yes' end),
    ('makes roles', case when r.rolcreaterole then 'yes' end),
    ('makes databases', case when r.rolcreatedb then 'yes' end),
    ('replicates', case when r.rolreplication then 'yes' end)
  ) as p (aspect, value)
  where p.value is not null and r.oid not in (select a.role from administrators a)
), configured (role, aspect, value) as (
  select d.setrole,
    format('setting %s%s', split_part(c.line, '=', 1), case when d.setdatabase <> 0 then ' in this database' else '' end),
    substr(c.line, strpos(c.line, '=') + 1)
  from pg_db_role_setting d
  cross join lateral unnest(d.setconfig) as c (line)
  where d.setrole <> 0
    and d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
), attributes (role, aspect, value) as (
  select r.oid, p.aspect, p.value
  from pg_roles r
  cross join lateral (values
    ('logs in', case when r.rolcanlogin then 'yes' else 'no' end),
    ('inherits', case when r.rolinherit then 'yes' else 'no' end),
    ('connections', nullif(r.rolconnlimit, -1)::text),
    ('valid until', case when r.rolvaliduntil < 'infinity' then r.rolvaliduntil::text end),
    ('valid for', case when r.rolvaliduntil < 'infinity' then round(extract(epoch from r.rolvaliduntil - now()))::text end)
  ) as p (aspect, value)
  where r.rolname !~ '^pg_' or r.rolcanlogin
), below as (
  -- The roles that can become one of them.
  with recursive reaching (role) as (
    select r.oid
    from pg_roles r
    where r.rolname in (select s.name from service s) or r.rolname ~ '^pg_'
       or r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolreplication
    union
    select m.member from reaching g join memberships m on m.role = g.role
  )
  select role from reaching
), concerned as (
  select r.oid as role
  from pg_roles r
  where r.rolname in (select s.name from service s) or (r.rolname ~ '^pg_' and r.rolcanlogin)
  union select m.member from memberships m where m.role in (select b.role from below b)
  union select m.member from memberships m join pg_roles r on r.oid = m.member where r.rolname ~ '^pg_'
  union select p.role from powers p
  union
  select d.setrole
  from pg_db_role_setting d
  join pg_database b on b.oid = d.setdatabase and b.datname = current_database()
  where d.setrole <> 0
  union select a.role from administrators a
), told as (
  -- The roles that they can become.
  with recursive reached (role) as (
    select c.role from concerned c
    union
    select m.role from reached g join memberships m on m.member = g.role
  )
  select g.role
  from reached g
  join pg_roles r on r.oid = g.role
  -- Omits predefined roles: the members' own rows name them.
  where r.rolname !~ '^pg_' or g.role in (select c.role from concerned c)
)
select
  'role' as kind, f.name as object,
  coalesce(jsonb_object_agg(f.aspect, f.value order by f.aspect) filter (where f.value is not null), '{}') as facts
from (
  -- Shows several administrators as one.
  select n.name, a.aspect, string_agg(distinct a.value, '; ') as value
  from told t
  join named n on n.role = t.role
  left join (
    select m.member as role, 'member of ' || g.rolname as aspect, m.value from memberships m join pg_roles g on g.oid = m.role
    union all select * from powers
    union all select * from configured
    union all select a.role, a.aspect, a.value from attributes a where a.role not in (select x.role from administrators x)
  ) as a on a.role = t.role
  group by n.name, a.aspect
) as f
group by f.name
having f.name <> 'administrator' or count(f.value) > 0
