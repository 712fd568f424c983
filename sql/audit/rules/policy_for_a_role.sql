-- Policies that do not apply to PUBLIC, except those by which a backup reads.
create or replace view audit.policy_for_a_role with (security_invoker = true) as
select
  'policy_for_a_role' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  'is not TO PUBLIC but TO ' || (
    select pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' order by r.rolname)
    from pg_catalog.pg_roles r where r.oid = any (p.polroles)) as finding,
  'On unpatched servers a role can remove policies that name it (DROP OWNED BY). Other roles would have other rules.' as why,
  pg_catalog.format('alter policy %I on %I.%I to %s;', p.polname, n.nspname, c.relname,
    case when exists (select from pg_catalog.pg_roles r where r.rolname = 'studio_backup' and r.oid = any (p.polroles))
      then 'studio_backup' else 'public' end) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where not 0::oid = any (p.polroles)
  and p.oid not in (select b.policy from audit.backup_policies b);

comment on view audit.policy_for_a_role is 'Policies that do not apply to PUBLIC and are not for backups.';
