-- A server on which nobody has closed a function of audit.closed_functions, as a managed one without
-- a superuser. It is one finding in place of one for each function and language. An error where
-- analysts may connect: elsewhere nobody outside writes a statement.
create or replace view audit.server_left_open with (security_invoker = true) as
select
  'server_left_open' as rule,
  case when s.analysts then 'error' else 'warning' end as level,
  'server' as object,
  pg_catalog.format('leaves %s functions open to everybody%s%s', s.functions, s.languages,
    case when s.analysts then ', and analysts may connect' else '; analysts may not connect' end) as finding,
  case when s.analysts
    then 'An analyst can see when others work, hold up jobs for seconds, and fill the disk, but reads no other studio''s rows: '
      'docs/operating.md, "Without a superuser".'
    else 'The service''s logins run no statement that somebody outside wrote. Analysts have GraphQL.' end as why,
  'run studio-inventory migrate as a superuser; if the provider gives you none, accept it with --accept server_left_open' as remedy
from (
  select
    pg_catalog.count(*) as functions,
    coalesce((
      select ' and ' || pg_catalog.string_agg('language ' || l.lanname, ', ' order by l.lanname)
      from pg_catalog.pg_language l
      where l.lanpltrusted and (l.lanacl is null or exists (select from pg_catalog.aclexplode(l.lanacl) a where a.grantee = 0))
    ), '') as languages,
    pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT') as analysts
  from audit.closed_functions c
  having pg_catalog.bool_and(c.is_open)
) as s;

comment on view audit.server_left_open is 'A server on which nobody has closed its functions to everybody.';
