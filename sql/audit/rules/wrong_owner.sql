-- Objects in the schemas of studio_owner that another role owns, a superuser's objects elsewhere
-- that an exposed role can run with the superuser's rights, and databases of an exposed role.
create or replace view audit.wrong_owner with (security_invoker = true) as
select
  'wrong_owner' as rule,
  'error' as level,
  o.kind || ' ' || o.name as object,
  pg_catalog.format('is owned by %I', r.rolname) || case
    when r.rolsuper then ', a superuser'
    when r.rolbypassrls then ', who bypasses row-level security'
    else '' end as finding,
  'A view or function of a superuser can bypass row-level security, and an owner may alter, grant and drop its '
    'objects.' as why,
  pg_catalog.format('alter %s %s owner to studio_owner;', o.kind, o.name) as remedy
from (
  select
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
      when 'S' then 'sequence' else 'table' end as kind,
    pg_catalog.format('%I.%I', s.name, c.relname) as name, c.relowner as owner
  from pg_catalog.pg_class c
  join audit.covered_schemas s on s.schema = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', s.name, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join audit.covered_schemas s on s.schema = p.pronamespace
  union all
  select 'view' as kind, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relowner
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper
  where c.relkind = 'v' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE'))
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', n.nspname, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles r on r.oid = p.proowner and r.rolsuper
  where p.prosecdef and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_function_privilege(e.role, p.oid, 'EXECUTE'))
  union all
  select 'database' as kind, pg_catalog.quote_ident(d.datname), d.datdba
  from pg_catalog.pg_database d
  where d.datname = pg_catalog.current_database() and d.datdba in (select x.role from audit.outsiders x)
) as o
join pg_catalog.pg_roles r on r.oid = o.owner
where r.rolname <> 'studio_owner';

comment on view audit.wrong_owner is 'Objects that studio_owner should own.';
