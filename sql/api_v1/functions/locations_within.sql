-- A location and all locations within it, at any depth, as far as the plan shows them. A location
-- that is not shown has nothing within it. Null gives null.
create or replace function api_v1.locations_within(location_id uuid) returns uuid[]
language sql stable strict security invoker
set search_path = ''
begin atomic
  select array(
    select t.id from service.location_tree t where locations_within.location_id = any (t.within) and t.id <> locations_within.location_id
  ) || locations_within.location_id;
end;

comment on function api_v1.locations_within(uuid) is 'A location and all locations within it.';
