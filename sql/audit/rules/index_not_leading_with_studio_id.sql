-- Indexes of tables within an exposed role's reach whose first column is not studio_id.
create or replace view audit.index_not_leading_with_studio_id with (security_invoker = true) as
select
  'index_not_leading_with_studio_id' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('leads with %s on %s',
    pg_catalog.pg_get_indexdef(i.indexrelid, 1, false), t.name) as finding,
  'An index that is searched before the studio is known finds rows of every studio: EXPLAIN ANALYZE tells whether a '
    'value exists, and a unique one refuses what another studio has.' as why,
  'Drop it and create it anew with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid = t.relation and a.attnum = i.indkey[0] and a.attname = 'studio_id');

comment on view audit.index_not_leading_with_studio_id is 'Indexes that are searched before the studio is known.';
