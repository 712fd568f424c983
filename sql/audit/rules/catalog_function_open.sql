-- Functions of the server that help attackers, not readers, and that an exposed role may call. Where
-- all are open to everybody, audit.server_left_open says so once.
create or replace view audit.catalog_function_open with (security_invoker = true) as
select
  'catalog_function_open' as rule,
  'error' as level,
  pg_catalog.format('pg_catalog.%I', f.name) as object,
  'may be called by ' || f.grantee as finding,
  f.why,
  pg_catalog.format('revoke execute on function %s from %s;', f.signatures, f.grantee) as remedy
from (
  select
    c.name, c.why,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee,
    pg_catalog.string_agg(c.signature, ', ' order by c.function) as signatures
  from audit.closed_functions c
  join pg_catalog.pg_proc p on p.oid = c.function
  cross join lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as a
  where a.privilege_type = 'EXECUTE'
    and (a.grantee = 0 and not exists (select from audit.server_left_open) or a.grantee in (select x.role from audit.outsiders x))
  group by c.name, c.why, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Functions of the server that are closed here and that an exposed role may call.';
