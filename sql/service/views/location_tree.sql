-- The locations that the plan shows, each with those that it is part of. Ordered by path, each comes
-- before its own parts, and its neighbours are in the order of their names.
--   depth   0: part of no location that is shown
--   path    the names from the outermost in, in small letters, each followed by the location's id
create or replace view service.location_tree with (security_invoker = true) as
with recursive placed as (
  select l.id, l.name, l.parent_id, 0 as depth, array[pg_catalog.lower(l.name), l.id::text] as path from api_v1.locations l
  -- Not an anti-join, which would compare all pairs of a large studio's locations.
  where (l.parent_id in (select above.id from api_v1.locations above)) is not true
  union all
  select l.id, l.name, l.parent_id, p.depth + 1, p.path || array[pg_catalog.lower(l.name), l.id::text]
  from placed p join api_v1.locations l on l.parent_id = p.id
)
select p.id, p.name, p.parent_id, p.depth, p.path from placed p;

comment on view service.location_tree is 'The locations, each with those that it is part of, for the console.';
