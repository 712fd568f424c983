-- All policies of the studio. active uses the studio's own calendar. Omits the columns that the API
-- never returns: owner_user_id, source_document_id, notes, studio_id.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and
-- effective_end (if set) has not passed"; policy_type — "Null when the stored value is not a
-- recognised type."
--
-- The condition is always true. A view without one merges into a reader's UNION ALL, where the
-- planner puts the reader's conditions before row-level security (docs/row-level-security.md).
create or replace view api_v1.policies with (security_invoker = true) as
select
  p.id, p.name, p.carrier, p.policy_number,
  case when p.policy_type in ('studio_property', 'equipment_floater', 'touring_rider', 'vehicle_transit', 'liability',
    'umbrella', 'other') then p.policy_type end as policy_type,
  p.overall_limit::numeric as overall_limit, p.deductible::numeric as deductible,
  p.covered_perils, p.location_constraints, p.effective_start, p.effective_end,
  p.archived_at is not null as archived,
  p.archived_at is null and p.effective_start is not null
    and p.effective_start <= (select access.current_studio_today())
    and (p.effective_end is null or p.effective_end >= (select access.current_studio_today())) as active,
  p.created_at, p.updated_at
from app.policies p
where p.studio_id is not null;

comment on view api_v1.policies is 'The studio''s insurance policies, archived and expired ones included.';
comment on column api_v1.policies.id is 'Unique policy id: the key of this view.';
comment on column api_v1.policies.name is 'Name of the policy.';
comment on column api_v1.policies.carrier is 'Insurance carrier; null when not recorded.';
comment on column api_v1.policies.policy_number is 'The carrier''s number; null when not recorded.';
comment on column api_v1.policies.policy_type is
  'studio_property, equipment_floater, touring_rider, vehicle_transit, liability, umbrella or other; else null.';
comment on column api_v1.policies.overall_limit is 'Overall limit in the studio''s currency; null when not set.';
comment on column api_v1.policies.deductible is 'Deductible in the studio''s currency; null when not set.';
comment on column api_v1.policies.covered_perils is 'Perils covered; null when not recorded.';
comment on column api_v1.policies.location_constraints is 'Free text; null when not set.';
comment on column api_v1.policies.effective_start is 'When coverage begins; null when not set.';
comment on column api_v1.policies.effective_end is 'Last day of coverage; null for an open-ended policy.';
comment on column api_v1.policies.archived is 'Whether the policy is archived.';
comment on column api_v1.policies.active is 'Whether the policy is active today on the studio''s calendar.';
comment on column api_v1.policies.created_at is 'When the policy was recorded.';
comment on column api_v1.policies.updated_at is 'When anything shown of the policy last changed.';
