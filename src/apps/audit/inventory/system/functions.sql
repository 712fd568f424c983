-- Functions that come with the server.
select
  'function' as kind, p.oid::regprocedure::text as object,
  concat_ws('|', p.proowner::text, l.lanname, p.prokind, p.prosecdef, p.proleakproof, p.proisstrict, p.proretset, p.provolatile,
    p.proparallel, p.procost, p.prorows, p.prosupport::text, array_to_string(p.proconfig, ','), pg_get_function_arguments(p.oid),
    pg_get_function_result(p.oid), p.prosrc, p.probin, pg_get_function_sqlbody(p.oid),
    case when a.aggfnoid is not null then
      concat_ws('|', a.aggkind, a.aggnumdirectargs, a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn,
        a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn, a.aggsortop::regoperator, a.aggtranstype::regtype, a.agginitval, a.aggminitval)
    end) as definition,
  'f'::"char" as type, p.proowner as owner, p.proacl as acl
from pg_proc p
join pg_language l on l.oid = p.prolang
left join pg_aggregate a on a.aggfnoid = p.oid
where p.oid < 16384::oid
