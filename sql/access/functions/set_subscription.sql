-- Sets a studio's subscription as the billing system has it; it takes effect with the next request.
-- status: trialing (needs trial_ends_at), active, past_due or canceled. Null dates are unknown.
create or replace function access.set_subscription(
  studio_id uuid, plan text, status text, trial_ends_at timestamptz default null,
  current_period_start timestamptz default null, current_period_end timestamptz default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into access.subscriptions
    (studio_id, plan, status, trial_ends_at, current_period_start, current_period_end)
  values (
    set_subscription.studio_id, set_subscription.plan, set_subscription.status, set_subscription.trial_ends_at,
    set_subscription.current_period_start, set_subscription.current_period_end
  )
  on conflict (studio_id) do update set
    plan = excluded.plan, status = excluded.status, trial_ends_at = excluded.trial_ends_at,
    current_period_start = excluded.current_period_start, current_period_end = excluded.current_period_end;
end
$$;

comment on function access.set_subscription(uuid, text, text, timestamptz, timestamptz, timestamptz) is
  'Sets a studio''s plan, its status and its period; it takes effect with the next request.';
