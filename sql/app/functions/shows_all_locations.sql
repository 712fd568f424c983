-- Whether a studio's plan shows all locations, or only the default one. An unpaid plan still
-- counts: REST and GraphQL then answer 403, and analysts read what they read before.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.shows_all_locations(studio_id uuid) returns boolean
language sql stable security definer parallel safe
set search_path = ''
return coalesce((
  select s.plan = 'studio' from access.subscriptions s where s.studio_id = shows_all_locations.studio_id), false);

comment on function app.shows_all_locations(uuid) is 'Whether a studio''s plan shows all of its locations.';
