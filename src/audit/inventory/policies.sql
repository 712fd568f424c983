-- Policies of row-level security.
select
  'policy' as kind, format('%I on %s', p.polname, r.name) as object,
  jsonb_strip_nulls(jsonb_build_object(
    'for', p.polcmd,
    'kind', case when p.polpermissive then 'permissive' else 'restrictive' end,
    'to', (select string_agg(n.name, ', ' order by n.name) from unnest(p.polroles) as g (role) join named n on n.role = g.role),
    'using', pg_get_expr(p.polqual, p.polrelid),
    'with check', pg_get_expr(p.polwithcheck, p.polrelid)
  )) as facts
from pg_policy p
join relations r on r.oid = p.polrelid
