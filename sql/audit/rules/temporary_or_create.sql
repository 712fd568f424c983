-- Exposed roles, roles that can act as one, and PUBLIC, with the right to create temporary objects,
-- schemas or objects in a schema, by a grant or through a group.
create or replace view audit.temporary_or_create with (security_invoker = true) as
select
  'temporary_or_create' as rule,
  'error' as level,
  g.place || ' ' || pg_catalog.quote_ident(g.name) as object,
  pg_catalog.format('%s is granted to %s', g.privilege, g.grantee) as finding,
  'A role that can create objects can create functions, operators and views that others call by mistake, and can fill '
    'the disk with temporary tables.' as why,
  pg_catalog.format('revoke %s on %s %I from %s;', pg_catalog.lower(g.privilege), g.place, g.name, g.grantee) as remedy
from (
  select
    held.place, held.name, a.privilege_type as privilege,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from (
    select 'database' as place, d.datname as name, coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba)) as acl
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()
    union all
    select 'schema' as place, n.nspname, coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))
    from pg_catalog.pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  ) as held
  cross join lateral pg_catalog.aclexplode(held.acl) as a
  where a.privilege_type in ('TEMPORARY', 'CREATE')
    and (a.grantee = 0
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.temporary_or_create is 'Exposed roles that may create objects, temporary ones included.';
