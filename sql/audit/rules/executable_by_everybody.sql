-- Functions that every role of the server may call. A function without any grant is one of them,
-- because PostgreSQL grants EXECUTE to PUBLIC by default.
create or replace view audit.executable_by_everybody with (security_invoker = true) as
select
  'executable_by_everybody' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  'EXECUTE is granted to PUBLIC' as finding,
  'Every role of the server may call it' ||
    case when p.prosecdef then ', and it runs with its owner''s rights' else '' end || '.' as why,
  pg_catalog.format('revoke execute on routine %I.%I(%s) from public;',
    s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as remedy
from pg_catalog.pg_proc p
join audit.covered_schemas s on s.schema = p.pronamespace
where exists (
  select
  from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
  where a.grantee = 0 and a.privilege_type = 'EXECUTE');

comment on view audit.executable_by_everybody is 'Functions that every role of the server may call.';
