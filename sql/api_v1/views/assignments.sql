-- Which item is declared under which policy. The row's own id, notes and timestamps are neither
-- shown nor granted. active is what api_v1.cover_on() is for any day.
-- spec: Assignment object; policy_name — "Joined in; null when unavailable."
create or replace view api_v1.assignments with (security_invoker = true) as
select
  a.item_id, a.policy_id, p.name as policy_name, a.declared_value::numeric as declared_value, a.is_primary,
  a.effective_start, a.effective_end,
  case when i.archived_at is null then v.current_estimated_value::numeric end as item_value,
  -- PostgreSQL reads the active policies once, and not for each assignment.
  a.policy_id in (select q.id from api_v1.policies q where q.active) and i.archived_at is null
    and coalesce(a.effective_start, '-infinity') <= (select access.current_studio_today())
    and coalesce(a.effective_end, 'infinity') >= (select access.current_studio_today()) as active
from app.policy_assignments a
left join app.policies p on p.studio_id = a.studio_id and p.id = a.policy_id
-- PostgreSQL passes the studio on to the indexes of both tables through these joins, which it could
-- not with a sub-select. It also drops a join whose columns nobody asks for.
left join app.items i on i.studio_id = a.studio_id and i.id = a.item_id
left join app.item_valuations v on v.studio_id = a.studio_id and v.item_id = a.item_id;

comment on view api_v1.assignments is 'Which item is declared under which policy, and for how much.';
comment on column api_v1.assignments.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.assignments.policy_id is 'The policy, joins policies.id.';
comment on column api_v1.assignments.policy_name is 'Name of the policy; null when unavailable.';
comment on column api_v1.assignments.declared_value is 'Amount declared for the item under the policy; null means unknown.';
comment on column api_v1.assignments.is_primary is 'Whether this is the item''s primary assignment; at most one is.';
comment on column api_v1.assignments.effective_start is 'First day of the assignment; null when no window is set.';
comment on column api_v1.assignments.effective_end is 'Last day of the assignment; null when open-ended.';
comment on column api_v1.assignments.item_value is
  'What the item is worth today; null when that is not known or the item is archived.';
comment on column api_v1.assignments.active is
  'Whether the item is declared under the policy today: the policy is active, the dates include today, the item is not archived.';
