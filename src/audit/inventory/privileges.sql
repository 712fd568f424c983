-- Who may do what with each object, by a grant to the role, to everybody, or by default. Shows the
-- owner's privileges only if one is missing.
select y.kind, y.object, jsonb_object_agg('privileges of ' || y.holder, y.privileges) as facts
from (
select
  x.kind, x.object, coalesce(n.name, format('role %s that is gone', x.grantee)) as holder,
  -- Shows several administrators as one.
  string_agg(distinct x.privileges, '; ') as privileges
from (
  select h.kind, h.object, a.grantee, h.owner,
    string_agg(a.privilege_type || case when a.is_grantable and a.grantee <> h.owner then ', may be passed on' else '' end,
      ', ' order by a.privilege_type) as privileges,
    (select string_agg(d.privilege_type, ', ' order by d.privilege_type)
      from aclexplode(case when h.type is not null then acldefault(h.type, h.owner) end) as d where d.grantee = h.owner) as own
  from (
    select 'schema' as kind, s.name as object, 'n'::"char" as type, n.nspowner as owner, n.nspacl as acl
    from spaces s join pg_namespace n on n.oid = s.oid where s.oid >= 16384::oid and s.oid not in (select p.oid from passing p)
    union all
    select r.kind, r.name, (case r.relkind when 'S' then 's' else 'r' end)::"char", r.owner, r.acl
    from relations r where r.oid >= 16384::oid and r.kind <> 'index'
    union all
    select 'column', format('%s.%I', r.name, a.attname), null, r.owner, a.attacl
    from relations r join pg_attribute a on a.attrelid = r.oid and not a.attisdropped and a.attacl is not null
    where r.oid >= 16384::oid
    union all
    -- A TOAST table holds the longest values of its table.
    select 'TOAST', 'of ' || r.name, 'r', t.relowner, t.relacl
    from relations r join pg_class c on c.oid = r.oid join pg_class t on t.oid = c.reltoastrelid
    where t.relacl is not null
    union all
    select 'TOAST', format('of %s, column %I', r.name, a.attname), null, t.relowner, a.attacl
    from relations r join pg_class c on c.oid = r.oid join pg_class t on t.oid = c.reltoastrelid
    join pg_attribute a on a.attrelid = t.oid and a.attacl is not null
    union all
    select 'function', p.oid::regprocedure::text, 'f', p.proowner, p.proacl
    from pg_proc p join spaces s on s.oid = p.pronamespace where p.oid >= 16384::oid
    union all
    select case t.typtype when 'd' then 'domain' else 'type' end, t.oid::regtype::text, 'T', t.typowner, t.typacl
    from pg_type t join spaces s on s.oid = t.typnamespace
    where t.oid >= 16384::oid and not exists (select from pg_type e where e.typarray = t.oid)
      and (t.typacl is not null or not exists (select from pg_class c where c.oid = t.typrelid))
    union all
    select 'language', quote_ident(l.lanname), 'l', l.lanowner, l.lanacl from pg_language l where l.oid >= 16384::oid
    union all
    select 'database', '', 'd', d.datdba, d.datacl from pg_database d where d.datname = current_database()
    union all
    select 'tablespace', quote_ident(t.spcname), 't', t.spcowner, t.spcacl from pg_tablespace t where t.spcacl is not null
    union all
    select 'foreign-data wrapper', quote_ident(f.fdwname), 'F', f.fdwowner, f.fdwacl from pg_foreign_data_wrapper f
    union all
    select 'server', quote_ident(f.srvname), 'S', f.srvowner, f.srvacl from pg_foreign_server f
    union all
    (select 'large object', l.oid::text, 'L', l.lomowner, l.lomacl from pg_largeobject_metadata l order by l.oid limit 100)
    union all
    select 'parameter', p.parname, null, 10, p.paracl from pg_parameter_acl p
    union all
    select
      'default privileges',
      format('of %s for %s%s', o.name,
        case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
          when 'n' then 'schemas' else 'large objects' end,
        case when d.defaclnamespace <> 0 then ' in ' || d.defaclnamespace::regnamespace else '' end),
      case when d.defaclnamespace = 0 then case d.defaclobjtype when 'S' then 's' else d.defaclobjtype end end::"char",
      d.defaclrole, d.defaclacl
    from pg_default_acl d join named o on o.role = d.defaclrole
  ) as h
  cross join lateral aclexplode(coalesce(h.acl, acldefault(h.type, h.owner))) as a
  group by h.kind, h.object, h.owner, h.type, a.grantee
) as x
left join named n on n.role = x.grantee
where x.grantee <> x.owner or x.privileges is distinct from x.own
group by x.kind, x.object, holder
) as y
group by y.kind, y.object
