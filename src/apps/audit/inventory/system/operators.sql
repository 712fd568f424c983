-- Operators, casts, and what indexes compare by, as they come with the server. Whether a condition counts as leakproof
-- depends on the functions that are named here.
select
  'operator' as kind, o.oid::regoperator::text as object,
  concat_ws('|', o.oprowner::text, o.oprkind, o.oprcanmerge, o.oprcanhash, o.oprresult::regtype, o.oprcom::regoperator,
    o.oprnegate::regoperator, o.oprcode, o.oprrest, o.oprjoin) as definition,
  null::"char" as type, o.oprowner as owner, null::aclitem[] as acl
from pg_operator o
where o.oid < 16384::oid
union all
select
  'cast', format('(%s AS %s)', c.castsource::regtype, c.casttarget::regtype),
  concat_ws('|', c.castfunc::regprocedure, c.castcontext, c.castmethod), null, 10, null
from pg_cast c
where c.oid < 16384::oid
union all
select
  'operator class', format('%I.%I using %I', n.nspname, c.opcname, a.amname),
  concat_ws('|', c.opcowner::text, f.opfname, c.opcintype::regtype, c.opcdefault, c.opckeytype::regtype), null, c.opcowner, null
from pg_opclass c
join pg_namespace n on n.oid = c.opcnamespace
join pg_am a on a.oid = c.opcmethod
join pg_opfamily f on f.oid = c.opcfamily
where c.oid < 16384::oid
union all
select
  'operator family', format('%I.%I using %I', n.nspname, f.opfname, a.amname),
  concat_ws('|', f.opfowner::text,
    (select string_agg(concat_ws(' ', o.amopstrategy, o.amoppurpose, o.amopopr::regoperator, o.amopsortfamily), ','
        order by o.amopstrategy, o.amopopr::regoperator::text collate "C")
      from pg_amop o where o.amopfamily = f.oid and o.oid < 16384::oid),
    (select string_agg(concat_ws(' ', p.amprocnum, p.amproclefttype::regtype, p.amprocrighttype::regtype, p.amproc), ','
        order by p.amprocnum, p.amproclefttype::regtype::text collate "C", p.amprocrighttype::regtype::text collate "C")
      from pg_amproc p where p.amprocfamily = f.oid and p.oid < 16384::oid)), null, f.opfowner, null
from pg_opfamily f
join pg_namespace n on n.oid = f.opfnamespace
join pg_am a on a.oid = f.opfmethod
where f.oid < 16384::oid
union all
select 'access method', quote_ident(a.amname), concat_ws('|', a.amtype, a.amhandler), null, 10, null
from pg_am a
where a.oid < 16384::oid
