-- Objects in pg_catalog named like the server's own, and casts between the server's own types. If
-- the types fit better, the server takes one of these, even in the audit's queries. So this query
-- runs first; its exact types without casts leave the server no choice.
select 'cast' as kind, c.oid, null as name
from pg_catalog.pg_cast c
where c.oid >= '16384'::pg_catalog.oid
  and c.castsource < '16384'::pg_catalog.oid and c.casttarget < '16384'::pg_catalog.oid
union all
select 'operator', o.oid, o.oprname
from pg_catalog.pg_operator o
where o.oid >= '16384'::pg_catalog.oid and o.oprnamespace = '11'::pg_catalog.oid
  and exists (
    select from pg_catalog.pg_operator b
    where b.oid < '16384'::pg_catalog.oid and b.oprnamespace = '11'::pg_catalog.oid and b.oprname = o.oprname)
union all
select 'function', p.oid, p.proname
from pg_catalog.pg_proc p
where p.oid >= '16384'::pg_catalog.oid and p.pronamespace = '11'::pg_catalog.oid
  and exists (
    select from pg_catalog.pg_proc b
    where b.oid < '16384'::pg_catalog.oid and b.pronamespace = '11'::pg_catalog.oid and b.proname = p.proname)
