-- Schemas.
select 'schema' as kind, s.name as object, jsonb_build_object('owner', o.name) as facts
from spaces s
join pg_namespace n on n.oid = s.oid
join named o on o.role = n.nspowner
where s.oid >= 16384
