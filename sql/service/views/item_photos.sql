-- The storage keys of each item's photos, in order. For the REST service, which signs them.
-- spec: photo_urls.
create or replace view service.item_photos with (security_invoker = true) as
select p.item_id, p.position, p.id, p.storage_key
from app.item_photos p;

comment on view service.item_photos is 'Storage keys of the items'' photos, for the REST service.';
