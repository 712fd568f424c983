-- Each exposed role's privileges on tables, views and columns, however it got them: role × relation
-- × column × privilege. The column '*' is the relation itself, with the privileges that no column
-- has.
create or replace view audit.effective_privileges with (security_invoker = true) as
select
  e.name as role, pg_catalog.format('%I.%I', s.name, c.relname) as relation, c.relkind as kind, a.attname as column_name,
  a.attnum as position, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) as held (privilege)
where pg_catalog.has_column_privilege(e.role, c.oid, a.attnum, held.privilege)
union all
select
  e.name, pg_catalog.format('%I.%I', s.name, c.relname), c.relkind, '*', 0::smallint, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
cross join (values ('DELETE'), ('TRUNCATE'), ('TRIGGER')) as held (privilege)
where pg_catalog.has_table_privilege(e.role, c.oid, held.privilege);

comment on view audit.effective_privileges is
  'What each exposed role may do with each table, view and column, whichever way the privilege came.';
