-- Sets a studio's subscription from the billing system; the next request uses it. status: trialing
-- (needs trial_ends_at), active, past_due or canceled. Null dates are unknown.
--   renews  month or year: when a period of an active subscription ends, the next one of the same
--           length begins, so nobody has to set each period. Without dates the first one begins
--           today. Null: the period stays as it was set, even after its end
create or replace function access.set_subscription(
  studio_id uuid, plan text, status text, trial_ends_at timestamptz default null,
  current_period_start timestamptz default null, current_period_end timestamptz default null, renews text default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  period_start timestamptz;
  period_end timestamptz;
begin
  if set_subscription.renews is not null and set_subscription.current_period_start is null then
    select p.period_start, p.period_end into period_start, period_end
    from access.first_period(set_subscription.studio_id, set_subscription.renews) p;
  end if;
  insert into access.subscriptions
    (studio_id, plan, status, trial_ends_at, current_period_start, current_period_end, renews)
  values (
    set_subscription.studio_id, set_subscription.plan, set_subscription.status, set_subscription.trial_ends_at,
    coalesce(set_subscription.current_period_start, period_start),
    coalesce(set_subscription.current_period_end, period_end), set_subscription.renews
  )
  on conflict (studio_id) do update set
    plan = excluded.plan, status = excluded.status, trial_ends_at = excluded.trial_ends_at,
    current_period_start = excluded.current_period_start, current_period_end = excluded.current_period_end,
    renews = excluded.renews;
end
$$;

comment on function access.set_subscription(uuid, text, text, timestamptz, timestamptz, timestamptz, text) is
  'Sets a studio''s plan, its status and its period; it takes effect with the next request.';
