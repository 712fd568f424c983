-- Exposed roles, roles that can act as one, and the owner, with an attribute that grants and
-- policies do not limit.
create or replace view audit.exposed_role_with_powers with (security_invoker = true) as
select
  'exposed_role_with_powers' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(h.name) as object,
  'has the attributes: ' || h.powers as finding,
  'Policies and grants do not bind a role with these attributes. Nobody should log in as the owner or as a group.' as why,
  pg_catalog.format('alter role %I %s;', h.name,
    pg_catalog.regexp_replace(pg_catalog.replace(h.powers, ',', ''), '(\w+)', 'no\1', 'g')) as remedy
from (
  select r.rolname as name, pg_catalog.concat_ws(', ',
    case when r.rolsuper then 'superuser' end,
    case when r.rolbypassrls then 'bypassrls' end,
    case when r.rolreplication then 'replication' end,
    case when r.rolcreaterole then 'createrole' end,
    case when r.rolcreatedb then 'createdb' end,
    case when r.rolcanlogin and r.rolname in ('studio_owner', 'studio_analyst', 'studio_auditor') then 'login' end
  ) as powers
  from pg_catalog.pg_roles r
  where r.rolname = 'studio_owner' or r.oid in (select x.role from audit.outsiders x)
) as h
where h.powers <> '';

comment on view audit.exposed_role_with_powers is
  'Exposed roles with an attribute that grants and policies do not limit.';
