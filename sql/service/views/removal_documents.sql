-- What has left its list, each removal as its JSON text, with the columns that filter and order it.
-- For the REST service.
create or replace view service.removal_documents with (security_invoker = true) as
select r.id, r.removed_at,
  row_to_json((select removal from (select
    r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
  ) as removal))::text as document
from api_v1.removals r;

comment on view service.removal_documents is 'Removals as JSON text, for the REST service.';
