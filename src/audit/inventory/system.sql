-- Privileges on the server's own objects that PostgreSQL does not grant by default. Omits the
-- owner's.
, guarded (class, oid, part, type, owner, acl) as (
  select 'pg_proc'::regclass, p.oid, 0, 'f'::"char", p.proowner, p.proacl from pg_proc p
  union all select 'pg_type'::regclass, t.oid, 0, 'T', t.typowner, t.typacl from pg_type t
  union all select 'pg_language'::regclass, l.oid, 0, 'l', l.lanowner, l.lanacl from pg_language l
  union all select 'pg_namespace'::regclass, n.oid, 0, 'n', n.nspowner, n.nspacl from pg_namespace n
  union all select 'pg_class'::regclass, c.oid, 0, 'r', c.relowner, c.relacl from pg_class c
  union all select 'pg_class'::regclass, c.oid, a.attnum, null, c.relowner, a.attacl
    from pg_attribute a join pg_class c on c.oid = a.attrelid
), held as (
  select g.class, g.oid, g.part, a.grantee, string_agg(
    a.privilege_type || case when a.is_grantable then ', may be passed on' else '' end, ', ' order by a.privilege_type) as privileges
  from guarded g
  left join lateral aclexplode(g.acl) as a on a.grantee <> g.owner
  where g.oid < 16384::oid and g.acl is not null
    and (g.acl @> acldefault(g.type, g.owner) and g.acl <@ acldefault(g.type, g.owner)) is not true
  group by g.class, g.oid, g.part, a.grantee
), called as (
  select h.class, h.oid, h.part, case when h.grantee is not null then coalesce(n.name, format('role %s that is gone', h.grantee)) end as holder,
    string_agg(distinct h.privileges, '; ') as privileges
  from held h
  left join named n on n.role = h.grantee
  group by h.class, h.oid, h.part, holder
)
select
  c.class::oid::text as class, c.oid::text as oid, c.part,
  coalesce(
    jsonb_object_agg('privileges of ' || c.holder, c.privileges) filter (where c.holder is not null),
    '{"privileges of others": "none"}') as facts
from called c
group by c.class, c.oid, c.part
