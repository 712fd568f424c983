-- Records that have left their list, for as long as they are away. A policy leaves at leaves_at and
-- comes back at returns_at; every other removal counts at once, even if a clock that was set back
-- makes removed_at later than now.
create or replace view api_v1.removals with (security_invoker = true) as
select r.resource, r.id, r.reason, r.removed_at
from app.removals r
where (r.leaves_at is null or r.leaves_at <= (select access.clock()))
  and (r.returns_at is null or r.returns_at > (select access.clock()));

comment on view api_v1.removals is 'Records that have left their list: archived, deleted, expired or hidden by the plan.';
comment on column api_v1.removals.resource is 'Which list the record has left: item, policy, location or maintenance.';
comment on column api_v1.removals.id is 'Id of the record in that list.';
comment on column api_v1.removals.reason is
  'archived, deleted, expired, not_started (a policy whose start was moved), item_archived (maintenance) or not_in_plan (a location).';
comment on column api_v1.removals.removed_at is 'When the record left the list.';
