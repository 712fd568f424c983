-- Foreign keys without an index that begins with their columns, in any order. A partial index
-- counts if its condition only excludes nulls in the key. Keys to app.categories need none: only
-- migrations change that table, and an index on a category could not begin with studio_id.
create or replace view audit.foreign_key_without_index with (security_invoker = true) as
select
  'foreign_key_without_index' as rule,
  'warning' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, k.schema, k.relation) as object,
  pg_catalog.format('no index begins with %s', k.columns) as finding,
  'When a referenced row is deleted or gets another key, the server scans this whole table and keeps the row locked '
    'meanwhile.' as why,
  pg_catalog.format('create index on %I.%I (%s);', k.schema, k.relation, k.columns) as remedy
from (
  select
    c.conname, n.nspname as schema, r.relname as relation, c.conrelid, c.conkey,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by key.position)
     from pg_catalog.unnest(c.conkey) with ordinality as key (number, position)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as columns,
    (select pg_catalog.string_agg(pg_catalog.format('(%I IS NOT NULL)', a.attname), '|')
     from pg_catalog.unnest(c.conkey) as key (number)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as conditions
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  join audit.covered_schemas s on s.schema = n.oid
  join pg_catalog.pg_class f on f.oid = c.confrelid
  join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where c.contype = 'f' and (fn.nspname, f.relname) <> ('app', 'categories')
) as k
where not exists (
  select
  from pg_catalog.pg_index i
  where i.indrelid = k.conrelid and i.indisvalid and i.indnkeyatts >= pg_catalog.cardinality(k.conkey)
    and (i.indkey::int2[])[0:pg_catalog.cardinality(k.conkey) - 1] @> k.conkey
    and (i.indpred is null or pg_catalog.pg_get_expr(i.indpred, i.indrelid)
      = any (pg_catalog.string_to_array(k.conditions, '|'))));

comment on view audit.foreign_key_without_index is 'Foreign keys without an index.';
