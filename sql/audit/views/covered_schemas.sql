-- The schemas that the checks cover: those of the owner.
create or replace view audit.covered_schemas with (security_invoker = true) as
select n.oid as schema, n.nspname as name
from pg_catalog.pg_namespace n
join pg_catalog.pg_roles r on r.oid = n.nspowner
where r.rolname = 'studio_owner';

comment on view audit.covered_schemas is 'The schemas that the checks cover: those of studio_owner.';
