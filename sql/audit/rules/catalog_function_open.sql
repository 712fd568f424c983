-- Functions of the server that are no use to a reader and of use to an attacker, and that an exposed role may call:
-- large objects, advisory locks, sleeping, messages to other sessions.
create or replace view audit.catalog_function_open with (security_invoker = true) as
select
  'catalog_function_open' as rule,
  'error' as level,
  pg_catalog.format('pg_catalog.%I', f.name) as object,
  'may be called by ' || f.grantee as finding,
  'Large objects are rows outside row-level security, an advisory lock or a sleep holds up others, a notification '
    'reaches their sessions.' as why,
  pg_catalog.format('revoke execute on function %s from %s;', f.signatures, f.grantee) as remedy
from (
  select
    p.proname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee,
    pg_catalog.string_agg(pg_catalog.format('pg_catalog.%I(%s)', p.proname,
      pg_catalog.pg_get_function_identity_arguments(p.oid)), ', ' order by p.oid) as signatures
  from pg_catalog.pg_proc p
  cross join lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as a
  where p.pronamespace = 'pg_catalog'::regnamespace
    and (p.proname ~ '^(lo_|pg_(try_)?advisory_|pg_sleep)' or p.proname in ('loread', 'lowrite', 'pg_notify'))
    and a.privilege_type = 'EXECUTE'
    and (a.grantee = 0 or a.grantee in (select x.role from audit.outsiders x))
  group by p.proname, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Large object, advisory lock, sleep and notify functions that an exposed role may call.';
