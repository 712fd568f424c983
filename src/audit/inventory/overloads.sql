-- What is in pg_catalog under a name that the server's own has, and casts between the server's own
-- types: where the types fit better it is taken for that, also by the questions of the audit. Asked
-- before them, so written with exact types and without a cast, which cannot be taken for anything
-- else.
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
