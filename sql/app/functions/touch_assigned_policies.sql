-- Trigger: a policy shows the number of its assignments, so its updated_at moves when that number does. What is set here
-- differs from what was there even within one millisecond; app.touch() makes the moment of it.
create or replace function app.touch_assigned_policies() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  policy_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct c.policy_id) into policy_ids from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct b.policy_id) into policy_ids from before b;
  else
    select pg_catalog.array_agg(u.policy_id) into policy_ids from (
      select d.policy_id
      from (select c.policy_id, 1 as difference from changed c union all select b.policy_id, -1 from before b) as d
      group by d.policy_id having sum(d.difference) <> 0
    ) as u;
  end if;
  update app.policies p set updated_at = p.updated_at + interval '1 millisecond'
  where p.studio_id = access.current_studio_id() and p.id = any (policy_ids);
  return null;
end
$$;

comment on function app.touch_assigned_policies() is
  'Trigger of app.policy_assignments: moves updated_at of policies whose number of assignments changed.';
