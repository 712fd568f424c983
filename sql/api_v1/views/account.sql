-- spec: GET /account — "Returns account metadata: plan tier, current billing period, item count."
create or replace view api_v1.account with (security_invoker = true) as
select
  a.name, a.plan_tier, a.is_trial, a.trial_ends_at, a.current_period_start, a.current_period_end,
  (select count(*) from app.items i where i.archived_at is null) as item_count,
  a.currency, a.timezone
from access.current_account() a;

comment on view api_v1.account is 'The studio''s account: plan, billing period, number of items.';
comment on column api_v1.account.name is 'Name of the studio.';
comment on column api_v1.account.plan_tier is 'pro, pro_insure or studio.';
comment on column api_v1.account.is_trial is 'Whether the studio is on trial.';
comment on column api_v1.account.trial_ends_at is 'When the trial ends; null when there is none.';
comment on column api_v1.account.current_period_start is 'Start of the billing period; null when unknown.';
comment on column api_v1.account.current_period_end is 'End of the billing period; null when unknown.';
comment on column api_v1.account.item_count is 'Number of items that are not archived.';
comment on column api_v1.account.currency is 'Currency of every amount, ISO 4217.';
comment on column api_v1.account.timezone is 'The studio''s time zone, IANA.';
