-- Columns with a studio's own words, numbers, ids or dates, and index expressions, for which the
-- server keeps statistics.
create or replace view audit.statistics_on_a_private_column with (security_invoker = true) as
select
  'statistics_on_a_private_column' as rule,
  'error' as level,
  pg_catalog.format('%s (%I)', held.name, a.attname) as object,
  'has statistics, with the target ' || coalesce(nullif(a.attstattarget, -1)::text, 'that is the default') as finding,
  'The server computes them from all studios'' values. The estimates of EXPLAIN then reveal a value letter by letter.' as why,
  pg_catalog.format('alter %s %s alter column %s set statistics 0; -- then a superuser has to delete the collected '
    'statistics from pg_statistic (since version 18: pg_clear_attribute_stats)',
    held.kind, held.name, case held.kind when 'index' then a.attnum::text else pg_catalog.quote_ident(a.attname) end
  ) as remedy
from (
  select 'table' as kind, t.relation, t.name, null::int2vector as indkey
  from audit.exposed_tables t
  union all
  select 'index' as kind, i.indexrelid, pg_catalog.format('%I.%I', n.nspname, c.relname), i.indkey
  from audit.exposed_tables t
  join pg_catalog.pg_index i on i.indrelid = t.relation
  join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as held
join pg_catalog.pg_attribute a on a.attrelid = held.relation and a.attnum > 0 and not a.attisdropped
-- From version 17 on, attstattarget is null by default; before, it is -1 and of another type.
where coalesce((pg_catalog.to_jsonb(a) ->> 'attstattarget')::integer, -1) <> 0
  and case held.kind
    when 'index' then held.indkey[a.attnum - 1] = 0
    else a.attname not in ('studio_id', 'archived_at')
  end;

comment on view audit.statistics_on_a_private_column is
  'Columns and index expressions with statistics that would show other studios'' values.';
