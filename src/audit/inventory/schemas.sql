-- Schemas. Omits those that the server makes for temporary objects, unless somebody changed them.
select
  'schema' as kind, s.name as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    'extension', (select x.extension from extended x where x.class = 'pg_namespace'::regclass and x.object = n.oid)
  )) as facts
from spaces s
join pg_namespace n on n.oid = s.oid
join named o on o.role = n.nspowner
where s.oid >= 16384::oid and s.oid not in (select p.oid from passing p)
