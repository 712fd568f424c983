-- Whether the plan of the session's studio shows all of its locations. A view uses it that analysts
-- read. When the studio does not pay, they still see what they saw.
create or replace function access.shows_all_locations() returns boolean
language sql stable security definer parallel safe
set search_path = ''
return app.shows_all_locations(access.current_studio_id());

comment on function access.shows_all_locations() is
  'Whether the plan of the session''s studio shows all of its locations, paid for or not.';
