-- Columns of every relation except indexes, and how much the server may learn of their content.
select
  'column' as kind, format('%s.%I', r.name, a.attname) as object,
  jsonb_strip_nulls(jsonb_build_object(
    'type', format_type(a.atttypid, a.atttypmod),
    'not null', case when a.attnotnull then 'yes' end,
    case when a.attgenerated = '' then 'default' else 'generated' end, pg_get_expr(d.adbin, d.adrelid),
    'identity', nullif(a.attidentity, ''),
    'statistics', nullif(coalesce(a.attstattarget, -1), -1)::text,
    'collation', case when a.attcollation <> t.typcollation then a.attcollation::regcollation::text end,
    'storage', case when a.attstorage <> t.typstorage then a.attstorage::text end,
    'compression', nullif(a.attcompression, ''),
    -- Some builds of the server store their own version among the options (pg_attver).
    'options', (
      select nullif(string_agg(w.word, ', ' order by w.word), '')
      from unnest(a.attoptions || a.attfdwoptions) as w (word) where w.word !~ '^pg_attver=[0-9]+$')
  )) as facts
from relations r
join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on a.atthasdef and d.adrelid = a.attrelid and d.adnum = a.attnum
where r.oid >= 16384::oid and r.kind not in ('index', 'sequence')
