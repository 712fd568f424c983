-- Tables with more than one permissive policy for the same command, but for that of backups.
create or replace view audit.permissive_policies_that_add_up with (security_invoker = true) as
select
  'permissive_policies_that_add_up' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('has %s permissive policies for one command: %s', pg_catalog.count(*),
    pg_catalog.string_agg(pg_catalog.quote_ident(p.polname), ', ' order by p.polname)) as finding,
  'A row passes if any permissive policy accepts it, so a second policy can only show more rows.'
    as why,
  pg_catalog.format('Drop all of them on %I.%I but one, or make the others restrictive.', n.nspname, c.relname) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where p.polpermissive and p.oid not in (select b.policy from audit.backup_policies b) and exists (
  select from pg_catalog.pg_policy other
  where other.polrelid = p.polrelid and other.oid <> p.oid and other.polpermissive
    and other.oid not in (select b.policy from audit.backup_policies b)
    and (other.polcmd = p.polcmd or '*' in (other.polcmd, p.polcmd)))
group by n.nspname, c.relname;

comment on view audit.permissive_policies_that_add_up is 'Tables on which several permissive policies apply at once.';
