-- The plan to which a subscription entitles at this moment; null when it includes no API access. A
-- trial runs until trial_ends_at, and a canceled or past-due subscription until the end of its paid
-- period. An archived studio has no plan, and a studio that is being removed stays archived
-- (access.keep_archived()). access.recognised_tokens lists in changes_this_second every moment that
-- this function compares with the clock; add a new one there, too.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access".
create or replace function access.entitled_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case
  when subscription.archived_at is not null then null
  when subscription.status = 'active'
    or (subscription.status = 'trialing' and access.clock() < subscription.trial_ends_at)
    or (subscription.status in ('canceled', 'past_due') and access.clock() < subscription.current_period_end)
  then subscription.plan
end;

comment on function access.entitled_plan(access.subscriptions) is
  'The plan a subscription entitles to now: pro, pro_insure or studio; null when it includes no API access.';
