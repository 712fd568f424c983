-- Roles that can act as two exposed roles, and exposed roles that can act as another or as the
-- owner, directly or through other roles. Administrators (superusers, and roles that may create
-- roles) are left out, because they can become any role. So are memberships that only allow a role to
-- add members.
create or replace view audit.member_of_two_exposed_roles with (security_invoker = true) as
with held as (
  select
    member.oid, member.rolname as name, e.role is not null as exposed, pg_catalog.count(*) as roles,
    pg_catalog.string_agg(pg_catalog.quote_ident(role.rolname), ', ' order by role.rolname) as names
  from audit.memberships reached
  join pg_catalog.pg_roles member on member.oid = reached.member
  join pg_catalog.pg_roles role on role.oid = reached.role
  left join audit.exposed_roles e on e.role = member.oid
  where not member.rolsuper and not member.rolcreaterole
    and (role.oid in (select x.role from audit.exposed_roles x)
      or (e.role is not null and role.rolname = 'studio_owner'))
  group by member.oid, member.rolname, e.role
)
select
  'member_of_two_exposed_roles' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(h.name) as object,
  case when h.exposed then 'is exposed itself and a member of ' else 'is a member of ' end || h.names as finding,
  'Each role is safe alone. Together, their rights exceed what any login should have.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
