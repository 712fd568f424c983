-- Views that read with their owner's rights, in the owner's schemas or readable by an exposed role.
create or replace view audit.view_not_invoker with (security_invoker = true) as
select
  'view_not_invoker' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  'reads with the rights of its owner, ' || pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)) as finding,
  'The owner may read every column. If the owner is a superuser, row-level security does not apply.' as why,
  pg_catalog.format('alter view %I.%I set (security_invoker = true);', n.nspname, c.relname) as remedy
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'v'
  and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (
    select from pg_catalog.unnest(c.reloptions) as option
    where option ~ '^security_invoker=' and pg_catalog.split_part(option, '=', 2)::boolean)
  and (
    exists (select from audit.covered_schemas s where s.schema = n.oid)
    or exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE')));

comment on view audit.view_not_invoker is 'Views that read with their owner''s rights.';
