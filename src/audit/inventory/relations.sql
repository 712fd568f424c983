-- Relations of every kind, with what they inherit from or are a partition of; sequences with their
-- bounds.
select
  r.kind, r.name as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'extension', (select x.extension from extended x where x.class = 'pg_class'::regclass and x.object = c.oid),
    'persistence', nullif(c.relpersistence, 'p'),
    'partitioned by', case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end,
    'partition', pg_get_expr(c.relpartbound, c.oid),
    'inherits from', (
      select string_agg(p.name, ', ' order by i.inhseqno)
      from pg_inherits i join relations p on p.oid = i.inhparent where i.inhrelid = c.oid),
    'of type', case when c.reloftype <> 0 then format_type(c.reloftype, null) end,
    'options', array_to_string(array(select unnest(c.reloptions) order by 1), ', '),
    'options of its TOAST table', (
      select array_to_string(array(select unnest(t.reloptions) order by 1), ', ') from pg_class t where t.oid = c.reltoastrelid),
    'row-level security', case when c.relrowsecurity then 'enabled' end,
    'row-level security for the owner', case when c.relforcerowsecurity then 'forced' end,
    'replica identity', nullif(c.relreplident, case when r.kind in ('table', 'materialized view') then 'd' else 'n' end),
    'access method', nullif(a.amname, 'heap'),
    'tablespace', (select t.spcname from pg_tablespace t where t.oid = c.reltablespace),
    'definition', case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
    'sequence', (
      select concat_ws(' ', format_type(q.seqtypid, null), q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcache, q.seqcycle)
      from pg_sequence q where q.seqrelid = c.oid)
  )) as facts
from relations r
join pg_class c on c.oid = r.oid
join named o on o.role = c.relowner
left join pg_am a on a.oid = c.relam and c.relkind in ('r', 'p', 'm')
where r.oid >= 16384::oid and r.kind <> 'index'
