-- The plan by which a studio may use the API now. Null if no plan includes it or the public API is
-- off.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access"; "the public API
-- is rolling out as a paid-plan feature".
create or replace function access.api_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case when subscription.public_api then access.entitled_plan(subscription) end;

comment on function access.api_plan(access.subscriptions) is
  'The plan by which a studio may use the API now: pro, pro_insure or studio; null when it may not.';
