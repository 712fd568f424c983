-- The tokens that are recognised at this moment: neither revoked nor expired, and their effective
-- user is a current member. status 403: the plan includes no API access, and plan_tier is null;
-- else 200. Its readers compare addresses with the client's: null is any, else one of them has to
-- contain it. changes_this_second: an end that may change the status is in this second of the
-- clock; null or false when none is. For access.open_session() and access.authenticate_batch()
-- alone. spec: "a token acts as the member it is scoped to; an unscoped token … acts as its
-- issuer"; "the effective plan is read from the studio's subscription at each authentication".
create or replace view access.recognised_tokens with (security_invoker = true) as
select t.digest, t.id as token_id, t.studio_id, plan.tier as plan_tier,
  (case when plan.tier is null then 403 else 200 end)::smallint as status,
  t.addresses,
  (pg_catalog.date_trunc('second', t.expires_at) = pg_catalog.date_trunc('second', access.clock())
    or pg_catalog.date_trunc('second', s.trial_ends_at) = pg_catalog.date_trunc('second', access.clock())
    or pg_catalog.date_trunc('second', s.current_period_end) = pg_catalog.date_trunc('second', access.clock())) as changes_this_second
from access.tokens t
join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
left join access.subscriptions s on s.studio_id = t.studio_id
cross join lateral (select access.api_plan(s) as tier) as plan
where t.revoked_at is null and (t.expires_at is null or t.expires_at > access.clock());

comment on view access.recognised_tokens is 'The tokens that are recognised at this moment, with the plan of their studio.';
