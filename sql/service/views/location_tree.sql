-- The locations that the plan shows, each with those that it is part of. This is the one walk over
-- locations: filters, sums, the report and the console read it. Ordered by path, each location comes
-- before its own parts, and its neighbours are in the order of their names.
--   depth     0: part of no location that is shown
--   path      the names from the outermost in, in small letters, each followed by the location's id
--   within    the ids from the outermost in; the last one is the location's own
--   label     the names from the outermost in
--   address   its own in one line, or else that of the nearest location around it; empty if neither is
--             recorded
create or replace view service.location_tree with (security_invoker = true) as
with recursive shown as (
  select
    l.id, l.name, l.parent_id, array[pg_catalog.lower(l.name), l.id::text] as step,
    concat_ws(', ', nullif(l.address_line1, ''), nullif(l.address_line2, ''), nullif(concat_ws(' ', l.postal_code, l.city), ''),
      nullif(l.region, ''), nullif(l.country_code, '')) as address
  from api_v1.locations l
), placed as (
  select s.id, s.name, 0 as depth, s.step as path, array[s.id] as within, s.name as label, s.address from shown s
  -- Not an anti-join, which would compare all pairs of a large studio's locations.
  where (s.parent_id in (select above.id from shown above)) is not true
  union all
  select s.id, s.name, p.depth + 1, p.path || s.step, p.within || s.id, p.label || ' › ' || s.name,
    coalesce(nullif(s.address, ''), p.address)
  from placed p join shown s on s.parent_id = p.id
)
select p.id, p.name, p.depth, p.path, p.within, p.label, p.address from placed p;

comment on view service.location_tree is 'The locations, each with those that it is part of.';
