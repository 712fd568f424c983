-- Which columns of which tables each view reads, itself or through other views. Views run with
-- their caller's rights, so these are the columns that a reader of the view needs.
create or replace view audit.view_columns with (security_invoker = true) as
with recursive direct as (
  select r.ev_class as view, d.refobjid as relation, d.refobjsubid as position
  from pg_catalog.pg_rewrite r
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjsubid > 0 and d.refobjid <> r.ev_class
), used as (
  select d.view, d.relation, d.position from direct d
  union
  select u.view, d.relation, d.position from used u join direct d on d.view = u.relation
)
select
  u.view, pg_catalog.format('%I.%I', vs.name, v.relname) as view_name,
  pg_catalog.format('%I.%I', ts.name, t.relname) as relation, a.attname::text as column_name
from used u
join pg_catalog.pg_class v on v.oid = u.view
join audit.covered_schemas vs on vs.schema = v.relnamespace
join pg_catalog.pg_class t on t.oid = u.relation and t.relkind in ('r', 'p')
join audit.covered_schemas ts on ts.schema = t.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = u.relation and a.attnum = u.position;

comment on view audit.view_columns is 'Which columns of tables each view reads, itself or through other views.';
