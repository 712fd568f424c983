-- Which policy covers which item on a day: assignments whose dates include the day, under policies
-- that are in force on it.
--   only_policy  only this policy; null: all
create or replace function api_v1.cover_on(day date, only_policy uuid default null)
returns table (item_id uuid, policy_id uuid, declared_value numeric, is_primary boolean)
language sql stable security invoker parallel safe
begin atomic
  select a.item_id, a.policy_id, a.declared_value, a.is_primary
  from api_v1.assignments a
  join api_v1.policies p on p.id = a.policy_id
  where coalesce(a.effective_start, '-infinity') <= cover_on.day and coalesce(a.effective_end, 'infinity') >= cover_on.day
    and service.is_in_force(p.effective_start, p.effective_end, p.archived, cover_on.day)
    and (cover_on.only_policy is null or p.id = cover_on.only_policy);
end;

comment on function api_v1.cover_on(date, uuid) is 'Which policy covers which item on a day, and for how much.';
