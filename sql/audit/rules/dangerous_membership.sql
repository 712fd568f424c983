-- Finds exposed roles, and roles that can act as one, that have a second membership too many: they can
-- act as a role of the server (pg_read_all_data, …), as a role that bypasses policies or as the owner,
-- or they can add members. audit.member_of_two_exposed_roles finds those that can act as another exposed
-- role.
create or replace view audit.dangerous_membership with (security_invoker = true) as
select
  'dangerous_membership' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(x.name) as object,
  pg_catalog.format('can act as %I', r.rolname) as finding,
  'The roles of the server and the owner of the tables ignore grants; some also bypass row-level security.' as why,
  pg_catalog.format('revoke %I from %I; -- or from the role through which it comes', r.rolname, x.name) as remedy
from audit.outsiders x
join audit.memberships m on m.member = x.role
join pg_catalog.pg_roles r on r.oid = m.role
where (
    r.rolname ~ '^pg_' or r.rolsuper or r.rolbypassrls or r.rolreplication or r.rolcreaterole
    or (r.rolname = 'studio_owner' and not x.exposed)
  )
  -- This role gives the service's logins a connection and nothing else (audit.set_server_rights()).
  and not (r.rolname = 'pg_use_reserved_connections'
    and x.name in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'))
  -- If a role can act as the owner, it can act as the owner's groups too. One finding is enough.
  and not exists (
    select from audit.memberships owner_of
    join pg_catalog.pg_roles owner on owner.oid = owner_of.role and owner.rolname = 'studio_owner'
    join audit.memberships with_owner on with_owner.member = owner.oid and with_owner.role = m.role
    where owner_of.member = x.role)
union all
select
  'dangerous_membership', 'error', 'role ' || pg_catalog.quote_ident(holder.rolname),
  pg_catalog.format('may make others members of %I', r.rolname),
  'The role can let any login read and write the studios'' data.',
  pg_catalog.format('revoke admin option for %I from %I;', r.rolname, holder.rolname)
from pg_catalog.pg_auth_members m
join pg_catalog.pg_roles holder on holder.oid = m.member
join pg_catalog.pg_roles r on r.oid = m.roleid
where m.admin_option and not holder.rolsuper and not holder.rolcreaterole
  and (r.rolname = 'studio_owner' or r.oid in (select e.role from audit.exposed_roles e));

comment on view audit.dangerous_membership is
  'Roles that can act as a role that ignores grants, or can make others members.';
