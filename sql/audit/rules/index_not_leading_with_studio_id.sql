-- Indexes of tables that an exposed role can reach whose first column is not studio_id, or whose
-- kind does not limit the search by the first column.
create or replace view audit.index_not_leading_with_studio_id with (security_invoker = true) as
select
  'index_not_leading_with_studio_id' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  case m.amname
    when 'btree' then pg_catalog.format('leads with %s on %s',
      pg_catalog.pg_get_indexdef(i.indexrelid, 1, false), t.name)
    else pg_catalog.format('is of the kind %s on %s', m.amname, t.name)
  end as finding,
  'Such an index finds rows of all studios, so EXPLAIN ANALYZE reveals whether a value exists. A unique one refuses '
    'values that another studio has.' as why,
  'Drop it and create a B-tree with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am m on m.oid = c.relam
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where m.amname <> 'btree' or not exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid = t.relation and a.attnum = i.indkey[0] and a.attname = 'studio_id');

comment on view audit.index_not_leading_with_studio_id is 'Indexes that do not lead with studio_id.';
