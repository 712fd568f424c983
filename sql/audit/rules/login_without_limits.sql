-- Analysts' logins without an end, or without limits on connections, temporary files or the time of
-- a statement. Exempts the service's logins: pools limit their connections, and analysts cannot
-- write their statements. A login does not inherit its group's settings. Only a superuser can limit
-- temporary files: without one, audit.server_left_open is the finding.
create or replace view audit.login_without_limits with (security_invoker = true) as
with settings (role, name, value) as (
  select r.oid, pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)
  from pg_catalog.pg_roles r
  join pg_catalog.pg_db_role_setting s on s.setrole in (r.oid, 0)
  left join pg_catalog.pg_database d on d.oid = s.setdatabase
  cross join lateral pg_catalog.unnest(s.setconfig) as setting
  where d.datname is null or d.datname = pg_catalog.current_database()
)
select
  'login_without_limits' as rule,
  'warning' as level,
  'role ' || pg_catalog.quote_ident(l.name) as object,
  'has no ' || l.missing as finding,
  'One analyst could use up all connections, the disk or the processors. A login without an end stays valid after '
    'everybody has forgotten it.' as why,
  pg_catalog.concat_ws(' ',
    case when l.endless then
      pg_catalog.format('alter role %I valid until %L;', l.name, (pg_catalog.now() + interval '90 days')::date) end,
    case when l.unlimited then pg_catalog.format('alter role %I connection limit 4;', l.name) end,
    case when l.boundless then pg_catalog.format('alter role %I set temp_file_limit = ''1GB'';', l.name) end,
    case when l.timeless then pg_catalog.format('alter role %I set statement_timeout = ''60s'';', l.name) end) as remedy
from (
  select held.*, pg_catalog.concat_ws(', no ',
    case when held.endless then 'VALID UNTIL' end,
    case when held.unlimited then 'CONNECTION LIMIT' end,
    case when held.boundless then 'temp_file_limit' end,
    case when held.timeless then 'statement_timeout' end) as missing
  from (
    select
      r.rolname as name,
      coalesce(r.rolvaliduntil, 'infinity') = 'infinity' as endless,
      r.rolconnlimit < 0 as unlimited,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'temp_file_limit' and s.value !~ '^-')
        and not exists (select from audit.server_left_open) as boundless,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'statement_timeout' and s.value !~ '^0+\D*$')
        as timeless
    from pg_catalog.pg_roles r
    join audit.memberships m on m.member = r.oid
    join audit.exposed_roles e on e.role = m.role and e.name = 'studio_analyst'
    where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
  ) as held
) as l
where l.missing <> '';

comment on view audit.login_without_limits is 'Analysts'' logins without an end or without limits.';
