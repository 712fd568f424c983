-- Relations with rows that an exposed role can read or write, by a grant to the role or to
-- everybody, on the relation or a column. A relation in another owner's schema counts only if the role
-- has USAGE on the schema.
create or replace view audit.exposed_tables with (security_invoker = true) as
select
  c.oid as relation, pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind,
  c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
  pg_catalog.string_agg(e.name, ', ' order by e.name) as roles
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join audit.covered_schemas s on s.schema = n.oid
join audit.exposed_roles e
  on (s.schema is not null or pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE'))
  and (pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
    or pg_catalog.has_table_privilege(e.role, c.oid, 'DELETE, TRUNCATE, TRIGGER'))
where c.relkind in ('r', 'p', 'm', 'f')
  and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
group by c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity;

comment on view audit.exposed_tables is 'Tables on which an exposed role has any privilege.';
