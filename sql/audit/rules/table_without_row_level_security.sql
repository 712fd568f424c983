-- Tables that an exposed role can reach without row-level security enabled and forced. Includes
-- materialised views and foreign tables, which cannot have it.
create or replace view audit.table_without_row_level_security with (security_invoker = true) as
select
  'table_without_row_level_security' as rule,
  'error' as level,
  t.name as object,
  case
    when t.kind in ('m', 'f') then 'is of a kind that cannot have row-level security'
    when not t.enabled then 'row-level security is not enabled'
    else 'row-level security is not forced'
  end || pg_catalog.format(', and %s can reach it', t.roles) as finding,
  'Without it, every role that can reach the table sees all studios'' rows. Unless it is forced, the owner''s functions '
    'and views do.' as why,
  case
    when t.kind in ('m', 'f') then pg_catalog.format('Revoke all on %s from %s.', t.name, t.roles)
    else pg_catalog.format(
      'alter table %1$s enable row level security; alter table %1$s force row level security;', t.name)
  end as remedy
from audit.exposed_tables t
where t.kind in ('m', 'f') or not t.enabled or not t.forced;

comment on view audit.table_without_row_level_security is
  'Tables that an exposed role can reach without row-level security enabled and forced.';
