-- Below the Studio plan, this shows only the default location. It uses the recorded plan, as
-- api_v1.removals does. Opening a session checks API access.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace view api_v1.locations with (security_invoker = true) as
select
  l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
  l.postal_code, l.country_code, l.is_default, l.created_at, l.updated_at
from app.locations l
where l.is_default or (select access.shows_all_locations());

comment on view api_v1.locations is 'Where the studio keeps its equipment; on the Pro plan the one default location.';
comment on column api_v1.locations.id is 'Unique location id: the key of this view.';
comment on column api_v1.locations.name is 'Name of the location.';
comment on column api_v1.locations.description is 'Free text; null when not recorded.';
comment on column api_v1.locations.type is 'site, room, storage, rack, vehicle, offsite or other; null when not recorded.';
comment on column api_v1.locations.parent_id is 'The location this one is part of, joins locations.id; null at the top.';
comment on column api_v1.locations.address_line1 is 'Street address; null when not recorded.';
comment on column api_v1.locations.address_line2 is 'Second line of the address; null when not recorded.';
comment on column api_v1.locations.city is 'City; null when not recorded.';
comment on column api_v1.locations.region is 'State, county or region; null when not recorded.';
comment on column api_v1.locations.postal_code is 'Postal code; null when not recorded.';
comment on column api_v1.locations.country_code is 'Country, ISO 3166-1 alpha-2; null when not recorded.';
comment on column api_v1.locations.is_default is 'Whether this is the studio''s default location.';
comment on column api_v1.locations.created_at is 'When the location was recorded.';
comment on column api_v1.locations.updated_at is 'When anything shown of the location last changed.';
