-- Foreign keys of which no index begins with the columns, in any order. An index with a condition
-- counts when that says no more than that columns of the key are not null. Exempt is the vocabulary
-- app.categories: only migrations change it, and an index that leads with a category would not lead
-- with studio_id.
create or replace view audit.foreign_key_without_index with (security_invoker = true) as
select
  'foreign_key_without_index' as rule,
  'warning' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, k.schema, k.relation) as object,
  pg_catalog.format('no index begins with %s', k.columns) as finding,
  'Every row that is deleted from, or given another key in, the referenced table is looked for in the whole table, '
    'which is locked against it as long.' as why,
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

comment on view audit.foreign_key_without_index is 'Foreign keys that no index serves.';
