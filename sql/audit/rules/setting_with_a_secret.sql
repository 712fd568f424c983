-- Settings of roles, databases and functions that look like a secret, by their name or by a
-- password in their value. An auditor cannot list settings in the server's files. For an analyst's own
-- setting the finding is a warning, because it can reveal only that analyst's secret.
create or replace view audit.setting_with_a_secret with (security_invoker = true) as
select
  'setting_with_a_secret' as rule,
  case when h.own then 'warning' else 'error' end as level,
  h.holder as object,
  pg_catalog.format('the setting %I looks like a secret', h.name) as finding,
  'Every login can read the settings of all roles, databases and functions.' as why,
  pg_catalog.format('alter %s reset %s; -- then change the secret: others could read it', h.holder,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' order by position)
     from pg_catalog.regexp_split_to_table(h.name, '\.') with ordinality as parts (part, position))) as remedy
from (
  select
    places.holder,
    pg_catalog.split_part(setting, '=', 1) as name,
    pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1) as value,
    places.own
  from (
    select
      case when s.setrole = 0 and s.setdatabase = 0 then 'role all'
        when s.setrole = 0 then pg_catalog.format('database %I', d.datname)
        when d.oid is null then pg_catalog.format('role %I', pg_catalog.pg_get_userbyid(s.setrole))
        else pg_catalog.format('role %I in database %I', pg_catalog.pg_get_userbyid(s.setrole), d.datname)
      end as holder,
      s.setconfig as settings,
      coalesce((
        select r.rolname = 'studio_analyst' or (not r.rolsuper and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member'))
        from pg_catalog.pg_roles r where r.oid = s.setrole), false) as own
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    where d.oid is null or d.datname = pg_catalog.current_database()
    union all
    select
      pg_catalog.format('routine %I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)),
      p.proconfig, false
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  ) as places
  cross join lateral pg_catalog.unnest(places.settings) as setting
) as h
-- The server's own settings have no dot in their name, and only their value can hold a secret.
where h.name ~* '\..*(pass|secret|token|credential|private|_?key$)'
   or h.value ~ '://[^/@\s]*:[^/@\s]+@'
   or h.value ~* '\mpassword\s*=';

comment on view audit.setting_with_a_secret is 'Settings that hold what looks like a secret.';
