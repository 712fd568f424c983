-- Privileges on a table, view or column that audit.allowed_privileges does not list, held by an
-- exposed role, a login or PUBLIC. Also privileges with grant option.
-- The remedy is a statement. Its comment is for a developer who meant to grant the privilege.
create or replace view audit.column_grant_beyond_the_list with (security_invoker = true) as
-- Materialized, so that PostgreSQL reads it once and not for each grant.
with allowed as materialized (
  select l.role, l.privilege, l.relation, l.column_name from audit.allowed_privileges l
)
select
  'column_grant_beyond_the_list' as rule,
  'error' as level,
  g.relation || case g.column_name when '*' then '' else pg_catalog.format(' (%I)', g.column_name) end as object,
  pg_catalog.format('%s is granted to %s%s', g.privilege, g.grantee,
    case when g.grantable then ', who may pass it on' else '' end) as finding,
  'The missing grant hides a column that nobody may read. Every allowed grant is in the list.' as why,
  pg_catalog.format('revoke %s%s on %s from %s; -- or a migration adds it to sql/audit/views/allowed_privileges.sql', g.privilege,
    case g.column_name when '*' then '' else pg_catalog.format(' (%I)', g.column_name) end, g.relation, g.grantee
  ) as remedy
from (
  select
    pg_catalog.format('%I.%I', s.name, c.relname) as relation, held.column_name, a.privilege_type as privilege,
    case a.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(a.grantee)::text end as grantee,
    a.is_grantable as grantable
  from pg_catalog.pg_class c
  join audit.covered_schemas s on s.schema = c.relnamespace
  cross join lateral (
    select '*', c.relacl
    union all
    select a.attname, a.attacl from pg_catalog.pg_attribute a where a.attrelid = c.oid and not a.attisdropped
  ) as held (column_name, acl)
  cross join lateral pg_catalog.aclexplode(held.acl) as a
  where a.grantee <> c.relowner
) as g
where g.grantable or not exists (
  select from allowed l
  where l.role = g.grantee and l.privilege = g.privilege and l.relation = g.relation
    and l.column_name in (g.column_name, '*'));

comment on view audit.column_grant_beyond_the_list is
  'Privileges on tables, views and columns that the list does not name.';
