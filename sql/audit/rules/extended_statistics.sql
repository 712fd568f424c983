-- Extended statistics on tables that an exposed role can reach.
create or replace view audit.extended_statistics with (security_invoker = true) as
select
  'extended_statistics' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, x.stxname) as object,
  'are extended statistics on ' || t.name as finding,
  'The server computes them from all studios'' values, and EXPLAIN shows estimates that reveal these values.' as why,
  pg_catalog.format('drop statistics %I.%I;', n.nspname, x.stxname) as remedy
from audit.exposed_tables t
join pg_catalog.pg_statistic_ext x on x.stxrelid = t.relation
join pg_catalog.pg_namespace n on n.oid = x.stxnamespace;

comment on view audit.extended_statistics is 'Extended statistics on tables that an exposed role can reach.';
