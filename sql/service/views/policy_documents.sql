-- The policies that are active today, each as its JSON text, with the columns that filter and order
-- it. For the REST service. A policy that has begun became visible on its first day, whenever it
-- was recorded: changed_at is the later of the two moments. spec: GET /policies; Policy activity.
create or replace view service.policy_documents with (security_invoker = true) as
select p.id, p.effective_start,
  greatest(p.updated_at, access.first_moment(p.effective_start, (select a.timezone from access.current_account() a)))
    as changed_at,
  row_to_json((select policy from (select
    p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
    p.location_constraints, p.effective_start, p.effective_end, p.archived
  ) as policy))::text as document,
  p.effective_end
from api_v1.policies p
where p.active;

comment on view service.policy_documents is 'Active policies as JSON text, for the REST service.';
