-- Replaces the removals of the session's studio that say when policies leave the list of active
-- ones:
--   archived, expired, not_started  a policy that is not active has left the list now; one that has
--                                   not started comes back on its first day (returns_at)
--   expired                         an active policy with an end leaves after its last day
--                                   (removed_at, in the future), but never before an announced one:
--                                   a clock that was ahead may have passed that midnight
-- A policy leaves at the end of its last day (leaves_at), as in api_v1.policies.
-- brand_new: no list has shown these policies, so they cannot have left one before now.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and
-- effective_end (if set) has not passed."
create or replace function app.schedule_policies(policy_ids uuid[], brand_new boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  zone text;
  today date;
  announced timestamptz := (select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m);
  known uuid[]; -- These new policies have the id of one that was deleted before.
begin
  select s.timezone into zone from app.studios s where s.id = studio; -- app.hold_time_zone() has locked it
  -- Uses the clock and not the beginning of the transaction, because midnight may have passed
  -- since.
  today := ((access.clock() + (pg_catalog.clock_timestamp() - pg_catalog.now())) at time zone zone)::date;
  if brand_new then
    select pg_catalog.array_agg(r.id) into known from app.removals r
    where r.studio_id = studio and r.resource = 'policy' and r.id = any (policy_ids);
  end if;
  perform app.clear_removals('policy', policy_ids);

  insert into app.removals (studio_id, resource, id, reason, removed_at, leaves_at, returns_at)
  select studio, 'policy', p.id, left_list.reason,
    case when left_list.at is null then app.stamp() else greatest(left_list.at, announced) end,
    case when left_list.reason = 'expired' then access.first_moment(p.effective_end + 1, zone) end, left_list.returns_at
  from app.policies p
  cross join lateral (
    select
      case
        when p.archived_at is not null then 'archived'
        when p.effective_end < today then 'expired'
        else 'not_started'
      end as reason,
      null::timestamptz as at,
      case when p.archived_at is null and p.effective_start > today
        then access.first_moment(p.effective_start, zone) end as returns_at
    where (not brand_new or p.id = any (known)) and (
      p.archived_at is not null or p.effective_start is null or p.effective_start > today or p.effective_end < today)
    union all
    select 'expired', access.first_moment(p.effective_end + 1, zone), null
    where p.archived_at is null and p.effective_end >= today
  ) as left_list
  where p.studio_id = studio and p.id = any (policy_ids);
end
$$;

comment on function app.schedule_policies(uuid[], boolean) is 'Writes again when policies leave the list of active ones.';
