--! Previous: sha1:2a26f87a9d724db2fc480ce2a92cd84dcb9066d3
--! Hash: sha1:3e28d65ec105ebde29582f00e831a61c34fed4b7
--! Message: authenticate again what has changed

-- Tokens are authenticated again only when something may have changed since. access.authenticate_tokens() stays for processes of version 1.0.
set local role studio_owner;

--! Included access/functions/entitled_plan.sql
-- The plan that a subscription entitles to at this moment; null when it includes no API access.
-- A trial runs to trial_ends_at; a canceled or past-due subscription to the end of its paid period. An archived studio has none, and
-- one that is being removed stays archived (access.keep_archived()). Every moment that is compared with the clock here has to be
-- among those of changes_this_second in access.recognised_tokens.
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
--! EndIncluded access/functions/entitled_plan.sql
--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: neither revoked nor expired, and their effective user is a current member. status
-- 403: the plan includes no API access, and plan_tier is null; else 200. Whoever reads it compares addresses with the client's: null
-- is any, else one of them has to contain it. changes_this_second: an end that may change the status is in this second of the clock;
-- null or false when none is. For access.open_session(), access.authenticate_batch() and access.authenticate_tokens() alone.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
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
--! EndIncluded access/views/recognised_tokens.sql
--! Included access/functions/authenticate_tokens.sql
-- For processes of version 1.0, which call it: since then access.authenticate_batch().
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none) and the address
-- of its client (null for unknown): in their order, what access.open_session() says of each. Nothing is read and no session is
-- opened. Both are looked up for each token by their keys (offset 0): the planner does not know how many there are.
--   client_addresses  null: of none is the address known
create or replace function access.authenticate_tokens(
  token_digests bytea[], validators text[], client_addresses inet[] default null
) returns setof access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  for answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark in
    select
      case when t.token_id is null then 401 when t.status = 200 and v.version = asked.validator then 304 else t.status end,
      t.token_id, t.studio_id, t.plan_tier, v.version, case when t.token_id is not null then w.at end
    from unnest(token_digests, validators, client_addresses) with ordinality as asked (digest, validator, address, place)
    left join lateral (
      select r.* from access.recognised_tokens r
      where r.digest = asked.digest and (r.addresses is null or asked.address <<= any (r.addresses)) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w
    order by asked.place
  loop
    return next answer;
  end loop;
end
$$;

comment on function access.authenticate_tokens(bytea[], text[], inet[]) is
  'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included access/functions/current_state.sql
-- What a statement sees, as a text: the server and since when it runs, the database, the snapshot, and the second of the clock. Two
-- statements of the same state see the same rows and find the same time up to a second, so that what is read by both is the same,
-- unless it changes within that second by the clock alone. Of rows only: sequences, settings and statistics are in no snapshot.
--   The snapshot tells which transactions are visible: every commit makes another. The start tells the snapshots of a server from those of
--   one that took over; after the crash of a process, which leaves the start as it is, the second does.
-- Null on a standby, whose snapshots do not show all the transactions that are open.
create or replace function access.current_state() returns text
language sql stable security invoker
return case when not pg_catalog.pg_is_in_recovery() then
  extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.current_database() || ' '
  || pg_catalog.pg_current_snapshot() || ' ' || pg_catalog.floor(extract(epoch from access.clock()))
end;

comment on function access.current_state() is
  'What a statement sees, as a text: two statements of the same state see the same. Null on a standby.';
--! EndIncluded access/functions/current_state.sql
--! Included access/functions/authenticate_batch.sql
-- Authenticates many tokens in one statement, each with the address of its client (null for unknown), unless nothing has changed since
-- it did that before. Nothing is read and no session is opened.
--   token_digests     of 32 bytes each, one after the other
--   client_addresses  one for each token
--   known_state       the state (access.current_state()) in which these tokens were authenticated before; null for none
-- Returns null when the state is still the same: what was said of these tokens then is what would be said now. Otherwise JSON:
--   state      to be passed as known_state; null when something may change within this second, so that the same state would not tell
--   watermark  access.current_watermark
--   tokens     in their order what access.open_session() says of each: [status, token_id, studio_id, plan_tier, version]; status
--              200, 401 or 403, without a validator
-- Tokens and versions are looked up for each by their keys (offset 0): the planner does not know how many there are.
create or replace function access.authenticate_batch(token_digests bytea, client_addresses inet[], known_state text)
returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  state text := access.current_state();
begin
  if state = known_state then
    return null;
  end if;
  return (
    select pg_catalog.json_build_object(
      'state', case when not pg_catalog.bool_or(t.changes_this_second is true) then state end,
      'watermark', pg_catalog.min(w.at)::text,
      'tokens', pg_catalog.json_agg(
        pg_catalog.json_build_array(
          case when t.token_id is null then 401 else t.status end, t.token_id, t.studio_id, t.plan_tier, v.version)
        order by asked.place))
    from pg_catalog.unnest(client_addresses) with ordinality as asked (address, place)
    left join lateral (
      select r.* from access.recognised_tokens r
      where r.digest = pg_catalog.substr(token_digests, 32 * (asked.place - 1)::integer + 1, 32)
        and (r.addresses is null or asked.address <<= any (r.addresses)) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w);
end
$$;

comment on function access.authenticate_batch(bytea, inet[], text) is
  'Authenticates many tokens in one statement, in their order, unless nothing has changed.';
--! EndIncluded access/functions/authenticate_batch.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at, document) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at, document) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  service.item_documents, service.item_valuations, service.item_photos, service.item_counts, service.maintenance_documents,
  service.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_batch, access.authenticate_tokens, access.token_prefixes,
  access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
