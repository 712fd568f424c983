-- Reachable views from which PostgreSQL could merge a table into a reader's UNION ALL. There the
-- planner puts the policy's conditions after the reader's. A view with WHERE or JOIN is safe. The
-- rule refuses every set operation and ONLY, and a sub-select in FROM that the view does not join,
-- because it does not look inside them.
create or replace view audit.view_without_condition with (security_invoker = true) as
select
  'view_without_condition' as rule,
  'error' as level,
  v.name as object,
  'reads ' || v.sources || case
    when v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M' then ' by a set operation'
    when v.definition ~ '\mFROM ONLY\M' then ' by ONLY'
    when v.definition ~ '\mFROM \(+\s*SELECT\M' then ' by a sub-select'
    else ' without a condition'
  end as finding,
  'In a UNION ALL the server can evaluate a reader''s conditions before the policy, on all studios'' rows. EXPLAIN '
    'ANALYZE and timing then reveal them.' as why,
  'Make it a query of tables with a condition. It may always be true: where studio_id is not null.' as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    pg_catalog.string_agg(distinct t.oid::regclass::text collate "C", ', ') as sources,
    -- Quoted text could look like a clause, so this removes it.
    pg_catalog.regexp_replace(pg_catalog.pg_get_viewdef(c.oid, true), '''(?:[^'']|'''')*''|"(?:[^"]|"")*"', 'quoted', 'g')
      as definition
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
  join pg_catalog.pg_class t on t.oid = d.refobjid and t.relrowsecurity
  where c.relkind = 'v'
    and exists (
      select from audit.exposed_roles e
      where e.name not in ('studio_api', 'studio_writer') -- whose statements are the service's own
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT'))
  group by n.nspname, c.oid, c.relname
  -- Materialized, so that PostgreSQL prints each view once and not for each condition below.
  offset 0
) as v
where v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M'
   or v.definition ~ '\mFROM ONLY\M'
   or v.definition ~ '\mFROM \(+\s*SELECT\M' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
   -- PostgreSQL indents the clauses of the view itself less than those of an inner query. A
   -- function in FROM is no table.
   or v.definition !~ '\n  WHERE ' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
     and v.definition !~ '\n   FROM [a-z_0-9.]+\(';

comment on view audit.view_without_condition is
  'Views whose table a reader''s UNION ALL could absorb.';
