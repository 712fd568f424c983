-- Types, except those of relations and arrays.
select
  case t.typtype when 'd' then 'domain' else 'type' end as kind, t.oid::regtype::text as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'extension', (select x.extension from extended x where x.class = 'pg_type'::regclass and x.object = t.oid),
    'kind', nullif(t.typtype, 'd'),
    'of', case when t.typbasetype <> 0 then format_type(t.typbasetype, t.typtypmod) end,
    'not null', case when t.typnotnull then 'yes' end,
    'default', t.typdefault,
    'collation', case when t.typcollation not in (0, 100) then t.typcollation::regcollation::text end,
    'range of', (
      select concat_ws(' ', g.rngsubtype::regtype, g.rngsubopc, nullif(g.rngcanonical, 0)::regproc, nullif(g.rngsubdiff, 0)::regproc)
      from pg_range g where g.rngtypid = t.oid),
    'labels', (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
  )) as facts
from pg_type t
join spaces s on s.oid = t.typnamespace
join named o on o.role = t.typowner
where t.oid >= 16384::oid
  and not exists (select from pg_class c where c.oid = t.typrelid)
  and not exists (select from pg_type e where e.typarray = t.oid)
