-- The list's locations as JSON text, with the columns that filter and order them. For the REST
-- service.
create or replace view service.location_documents with (security_invoker = true) as
select l.id, l.updated_at,
  row_to_json((select location from (select
    l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
    l.postal_code, l.country_code, l.is_default,
    api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
  ) as location))::text as document
from api_v1.locations l;

comment on view service.location_documents is 'Locations as JSON text, for the REST service.';
