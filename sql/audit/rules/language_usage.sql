-- Languages in which an exposed role, a role that can act as one, or PUBLIC may write functions and
-- DO blocks. Where the whole server is open, audit.server_left_open says so once.
create or replace view audit.language_usage with (security_invoker = true) as
select
  'language_usage' as rule,
  'error' as level,
  'language ' || pg_catalog.quote_ident(g.name) as object,
  'USAGE is granted to ' || g.grantee as finding,
  'Code in such a language can guess other studios'' values in a loop and catch the errors. Readers do not need it.' as why,
  pg_catalog.format('revoke usage on language %I from %s;', g.name, g.grantee) as remedy
from (
  select
    l.lanname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from pg_catalog.pg_language l
  cross join lateral pg_catalog.aclexplode(coalesce(l.lanacl, pg_catalog.acldefault('l', l.lanowner))) as a
  -- In the other languages only superusers can write functions, and no grant changes that.
  where l.lanpltrusted
    and (a.grantee = 0 and not exists (select from audit.server_left_open)
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.language_usage is 'Languages in which an exposed role may write code.';
