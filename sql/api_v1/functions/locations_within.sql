-- A location and all locations within it, at any depth, as far as the plan shows them. A location
-- that is not shown has nothing within it. Null gives null.
create or replace function api_v1.locations_within(location_id uuid) returns uuid[]
language sql stable strict security invoker
set search_path = ''
begin atomic
  with recursive within (id) as (
    select locations_within.location_id
    union
    select l.id from within w join api_v1.locations l on l.parent_id = w.id
  )
  select pg_catalog.array_agg(w.id) from within w;
end;

comment on function api_v1.locations_within(uuid) is 'A location and all locations within it.';
