-- Functions, procedures, aggregates and window functions.
select
  'function' as kind, p.oid::regprocedure::text as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'extension', (select x.extension from extended x where x.class = 'pg_proc'::regclass and x.object = p.oid),
    'kind', nullif(p.prokind, 'f'),
    'arguments', pg_get_function_arguments(p.oid),
    'returns', pg_get_function_result(p.oid),
    'language', l.lanname,
    'runs with the rights of', case when p.prosecdef then 'its owner' end,
    'leakproof', case when p.proleakproof then 'yes' end,
    'volatility', p.provolatile,
    'strict', case when p.proisstrict then 'yes' end,
    'parallel', nullif(p.proparallel, 'u'),
    'cost', concat_ws(' ', nullif(p.procost, 100), nullif(p.prorows, 1000)),
    'planner support', nullif(p.prosupport, 0)::regproc::text,
    'settings', array_to_string(p.proconfig, ', '),
    'transforms', array_to_string(p.protrftypes::regtype[]::text[], ', '),
    'body', concat_ws(' ', p.prosrc, p.probin, pg_get_function_sqlbody(p.oid), (
      select concat_ws(' ', a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.agginitval) from pg_aggregate a where a.aggfnoid = p.oid))
  )) as facts
from pg_proc p
join spaces s on s.oid = p.pronamespace
join pg_language l on l.oid = p.prolang
join named o on o.role = p.proowner
where p.oid >= 16384::oid
