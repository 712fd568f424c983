-- A server without the fixes on which the isolation of studios relies.
create or replace view audit.server_below_safe_version with (security_invoker = true) as
select
  'server_below_safe_version' as rule,
  'error' as level,
  'server' as object,
  pg_catalog.format('is PostgreSQL %s.%s', v.major, v.minor) as finding,
  'Older versions have known flaws in row-level security and grants.' as why,
  'Install PostgreSQL ' || coalesce(
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s where s.major = v.major),
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s order by s.major desc limit 1)
  ) || ' or newer.' as remedy
from (
  select n.number / 10000 as major, n.number % 10000 as minor
  from (select pg_catalog.current_setting('server_version_num')::integer as number) as n
) as v
where v.major < (select pg_catalog.min(s.major) from audit.safe_versions s)
   or exists (select from audit.safe_versions s where s.major = v.major and s.minor > v.minor);

comment on view audit.server_below_safe_version is 'A server without the fixes on which isolation relies.';
