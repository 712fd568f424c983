-- Reachable tables with row-level security, and app.studios, whose studio_hash does not identify
-- one studio: it is missing, computed from something else, or not unique.
create or replace view audit.studio_hash_not_exact with (security_invoker = true) as
select
  'studio_hash_not_exact' as rule,
  'error' as level,
  t.name as object,
  case
    when t.made is null then 'has no generated column studio_hash'
    when t.made <> t.expected then 'makes studio_hash from ' || t.made
    else 'accepts two studios with one studio_hash'
  end as finding,
  'Policies compare studio_hash before a reader''s conditions. If two studios share one, EXPLAIN ANALYZE and timing '
    'reveal one studio''s rows to the other.' as why,
  case
    when t.made = t.expected then pg_catalog.format('alter table %s add unique (studio_hash);', t.name)
    else pg_catalog.format('Replace the column: alter table %s add column studio_hash integer not null '
      'generated always as %s stored;', t.name, t.expected)
  end as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.oid as relation,
    n.nspname = 'app' and c.relname = 'studios' as is_studios,
    case when n.nspname = 'app' and c.relname = 'studios' then '(uuid_hash(id) >> 1)'
      else '(uuid_hash(studio_id) >> 1)' end as expected,
    (select pg_catalog.pg_get_expr(d.adbin, d.adrelid)
     from pg_catalog.pg_attribute a
     join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attname = 'studio_hash' and a.attgenerated = 's') as made
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (n.nspname = 'app' and c.relname = 'studios')
     or c.oid in (select e.relation from audit.exposed_tables e where e.enabled)
        and exists (
          select from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attname = 'studio_id' and not a.attisdropped)
) as t
where t.made is distinct from t.expected
   or t.is_studios and not exists (
     select from pg_catalog.pg_index i
     join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attname = 'studio_hash'
     where i.indrelid = t.relation and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
       and i.indnkeyatts = 1 and i.indkey[0] = a.attnum);

comment on view audit.studio_hash_not_exact is 'Tables whose studio_hash does not identify one studio.';
