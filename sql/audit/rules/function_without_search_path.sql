-- Finds functions in which the caller's search_path decides what an unqualified name means. It leaves
-- out functions with an SQL-standard body that run with the caller's rights: the server resolved their
-- names when it created them, and could not inline them if they had settings.
create or replace view audit.function_without_search_path with (security_invoker = true) as
select
  'function_without_search_path' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  coalesce(
    (select 'has ' || setting from pg_catalog.unnest(p.proconfig) as setting where setting ~ '^search_path='),
    'has no search_path of its own') as finding,
  'The caller''s search_path decides what the unqualified names in its body mean' ||
    case when p.prosecdef then ', and it runs with its owner''s rights' else '' end || '.' as why,
  pg_catalog.format('alter function %I.%I(%s) set search_path = '''';',
    s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as remedy
from pg_catalog.pg_proc p
join audit.covered_schemas s on s.schema = p.pronamespace
where p.prokind <> 'a'
  and (p.prosqlbody is null or p.prosecdef)
  and 'search_path=""' <> all (coalesce(p.proconfig, '{}'));

comment on view audit.function_without_search_path is 'Functions whose unqualified names the caller''s search_path resolves.';
