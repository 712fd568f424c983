-- The exposed roles, and every login or group that can act as one. Omits administrators
-- (superusers, and roles that may create roles), who can become any role.
create or replace view audit.outsiders with (security_invoker = true) as
select e.role, e.name, true as exposed
from audit.exposed_roles e
union all
select r.oid, r.rolname, false
from pg_catalog.pg_roles r
where not r.rolsuper and not r.rolcreaterole and r.rolname <> 'studio_owner'
  and r.oid not in (select e.role from audit.exposed_roles e)
  and exists (
    select from audit.memberships m
    where m.member = r.oid and m.role in (select e.role from audit.exposed_roles e));

comment on view audit.outsiders is 'The exposed roles, and everybody but administrators who can act as one.';
