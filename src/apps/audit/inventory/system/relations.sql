-- Tables and views that come with the server, with their columns, indexes, rules, constraints and grants on columns.
select
  r.kind, r.name as object,
  concat_ws('|', c.relowner::text, c.relpersistence, c.relreplident, c.relrowsecurity, c.relforcerowsecurity, c.relispartition,
    array_to_string(c.reloptions, ','), c.relam::regclass::text, c.reltablespace,
    case when r.kind = 'index' then pg_get_indexdef(c.oid) end,
    (select concat_ws(',', i.indisunique, i.indisvalid, i.indisready, i.indislive) from pg_index i where i.indexrelid = c.oid),
    (select string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        coalesce(a.attstattarget, -1), a.attcollation::regcollation), ',' order by a.attnum)
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    (select string_agg(concat_ws(' ', w.rulename, w.ev_enabled, pg_get_ruledef(w.oid)), ',' order by w.rulename)
      from pg_rewrite w where w.ev_class = c.oid and w.oid < 16384::oid)) as definition,
  case when r.kind <> 'index' then 'r'::"char" end as type, r.owner, r.acl,
  (select jsonb_object_agg(format('privileges of %s on column %I', n.name, g.attname), g.held)
    from (
      select a.attname, e.grantee, string_agg(e.privilege_type, ', ' order by e.privilege_type) as held
      from pg_attribute a
      cross join lateral aclexplode(a.attacl) as e
      where a.attrelid = c.oid and a.attacl is not null and e.grantee <> c.relowner
      group by a.attname, e.grantee) as g
    join named n on n.role = g.grantee) as on_columns
from relations r
join pg_class c on c.oid = r.oid
where r.oid < 16384::oid
