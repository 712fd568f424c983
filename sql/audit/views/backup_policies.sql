-- The policies that let studio_backup read, and nobody else: one that names a second role or writes
-- is not among them.
create or replace view audit.backup_policies with (security_invoker = true) as
select p.oid as policy
from pg_catalog.pg_policy p
join pg_catalog.pg_roles r on r.rolname = 'studio_backup' and p.polroles = array[r.oid]
where p.polcmd = 'r';

comment on view audit.backup_policies is 'The policies by which a backup reads every row.';
