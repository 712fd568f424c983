-- Indexes. Without one, a plan reads other rows first. One on an expression has its own statistics.
select
  'index' as kind, r.name as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'of', t.name,
    'definition', pg_get_indexdef(r.oid),
    'options', array_to_string(array(select unnest(c.reloptions) order by 1), ', '),
    'tablespace', (select t.spcname from pg_tablespace t where t.oid = c.reltablespace),
    'usable', case when i.indisvalid and i.indisready and i.indislive then 'yes' else 'no' end,
    'checked at once', case when not i.indimmediate then 'no' end,
    'replica identity', case when i.indisreplident then 'yes' end,
    'clustered', case when i.indisclustered then 'yes' end,
    'statistics of its expressions', (
      select string_agg(a.attname || ' ' || a.attstattarget, ', ' order by a.attnum)
      from pg_attribute a where a.attrelid = r.oid and coalesce(a.attstattarget, -1) <> -1)
  )) as facts
from relations r
join pg_class c on c.oid = r.oid
join named o on o.role = c.relowner
join pg_index i on i.indexrelid = r.oid
join relations t on t.oid = i.indrelid
where r.oid >= 16384::oid
