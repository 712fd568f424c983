-- What is declared under each policy on a day: the one definition, for the report, the console, the
-- sums and the REST summary. An item is declared under a policy if the policy is in force, the dates
-- of an assignment include the day, and the item is not archived. The caller reads the items of the
-- day anyway (api_v1.items, api_v1.items_on()) and joins them, which leaves out the archived ones.
-- api_v1.assignments.active says the same of today, in a view.
-- Returns a row for each item and policy:
--   only_policy     only this policy; null: all
--   declared_value  the sum over the assignments of that day; null: no amount is recorded
--   is_primary      whether the item's primary assignment is one of them
--   assignments     how many they are. Two or more are usually a mistake, which readers are told
create or replace function api_v1.cover_on(day date, only_policy uuid default null)
returns table (item_id uuid, policy_id uuid, declared_value numeric, is_primary boolean, assignments integer)
language sql stable security invoker parallel safe
begin atomic
  select a.item_id, a.policy_id, sum(a.declared_value::numeric), pg_catalog.bool_or(a.is_primary), count(*)::integer
  from app.policy_assignments a
  join app.policies p on p.studio_id = a.studio_id and p.id = a.policy_id
  where coalesce(a.effective_start, '-infinity') <= cover_on.day and coalesce(a.effective_end, 'infinity') >= cover_on.day
    and service.is_in_force(p.effective_start, p.effective_end, p.archived_at is not null, cover_on.day)
    and (cover_on.only_policy is null or p.id = cover_on.only_policy)
  group by a.item_id, a.policy_id;
end;

comment on function api_v1.cover_on(date, uuid) is 'Which items are declared under which policies on a day, and for how much.';
