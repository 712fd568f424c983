-- Finds roles that can name the tables, by a grant or a membership. It lists a group without its
-- members. It leaves out superusers, the owner and its members, and the roles of the server.
create or replace view audit.usage_on_app with (security_invoker = true) as
with app as (
  select n.oid, exists (
    select from pg_catalog.aclexplode(n.nspacl) a where a.grantee = 0) as open_to_everybody
  from pg_catalog.pg_namespace n
  where n.nspname = 'app'
), holders as (
  select r.oid, r.rolname as name
  from app
  join pg_catalog.pg_roles r
    on not app.open_to_everybody and pg_catalog.has_schema_privilege(r.oid, app.oid, 'USAGE, CREATE')
  where r.rolname not in ('studio_owner', 'studio_writer') and r.rolname !~ '^pg_'
    and not r.rolsuper
    and not exists (
      select from pg_catalog.pg_roles o
      where o.rolname = 'studio_owner' and pg_catalog.pg_has_role(r.oid, o.oid, 'MEMBER'))
)
select
  'usage_on_app' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(f.name) as object,
  'has USAGE or CREATE on schema app' as finding,
  'Readers may use only the views. A role that can name a table can read its columns without the conditions of the '
    'view, for example archived items.' as why,
  pg_catalog.format('revoke all on schema app from %s; -- or from the group that has it',
    pg_catalog.quote_ident(f.name)) as remedy
from (
  select 'public' as name from app where app.open_to_everybody
  union all
  select h.name from holders h
  where not exists (
    select from holders g where g.oid <> h.oid and pg_catalog.pg_has_role(h.oid, g.oid, 'USAGE'))
) as f;

comment on view audit.usage_on_app is 'Roles that can name the tables, other than the owner and the writer.';
