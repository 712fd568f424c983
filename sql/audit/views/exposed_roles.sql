-- The roles through which outsiders reach the data. audit.column_grant_beyond_the_list checks what
-- a login may do beyond its group.
create or replace view audit.exposed_roles with (security_invoker = true) as
select r.oid as role, r.rolname as name
from pg_catalog.pg_roles r
where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql',
  'studio_analyst', 'studio_auditor');

comment on view audit.exposed_roles is 'The roles through which somebody outside reaches the data.';
