-- The account of the session's studio; no row without a studio. For the account view, because
-- nobody may read the tables of studios and subscriptions. plan_tier is null when the plan includes
-- no API access.
create or replace function access.current_account() returns table (
  name text, plan_tier text, is_trial boolean, trial_ends_at timestamptz,
  current_period_start timestamptz, current_period_end timestamptz, currency text, timezone text,
  minor_units smallint
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    studio.name, access.entitled_plan(s), coalesce(s.status = 'trialing', false), s.trial_ends_at,
    period.period_start, period.period_end, studio.currency, studio.timezone, studio.minor_units
  from app.studios studio
  left join access.subscriptions s on s.studio_id = studio.id
  left join lateral access.current_period(s, studio.timezone) as period on true
  where studio.id = access.current_studio_id();
end;

comment on function access.current_account() is 'The session''s studio with its plan and billing period.';
