-- Whether a studio's plan shows all of its locations, and not the default one alone. Whether the plan is paid for does not
-- matter: when it no longer is, REST and GraphQL answer 403, and analysts still read what they read before.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.shows_all_locations(studio_id uuid) returns boolean
language sql stable security definer
set search_path = ''
return coalesce((
  select s.plan = 'studio' from access.subscriptions s where s.studio_id = shows_all_locations.studio_id), false);

comment on function app.shows_all_locations(uuid) is 'Whether a studio''s plan shows all of its locations.';
