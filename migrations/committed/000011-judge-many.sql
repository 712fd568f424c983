--! Previous: sha1:e4106461fa1c2ca21707f302d98665aa8db3f912
--! Hash: sha1:f3b45ec710375d8c355d37d6fc5787db8f9c7e1e
--! Message: judge many

-- Many tokens are judged in one statement.
set local role studio_owner;

--! Included access/functions/judge.sql
-- Judges a token: one look-up by the digest of the whole token, the membership of its effective user and the plan, all at
-- this moment. status 401: unknown or revoked, or its effective user is no current member. 403: the plan includes no API
-- access. 304: all is well, and the version that the caller knows is the version of this moment. 200: all is well.
--   known_version  a version that an earlier answer had; null for none
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.judge(token_digest bytea, known_version text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.id, t.studio_id, access.api_plan(s), access.data_version(studio)
  into answer.token_id, answer.studio_id, answer.plan_tier, answer.version
  from access.tokens t
  join app.studios studio on studio.id = t.studio_id
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  answer.status := case
    when answer.token_id is null then 401
    when answer.plan_tier is null then 403
    when answer.version = known_version then 304
    else 200
  end;
  return answer;
end
$$;

comment on function access.judge(bytea, text) is
  'Judges a token by the sha256 digest of its text: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/judge.sql
--! Included access/functions/judge_all.sql
-- Judges many tokens in one statement, each with the version that is known of its studio: in their order, what
-- access.judge() says of each. Nothing is read and no session is opened.
create or replace function access.judge_all(token_digests bytea[], known_versions text[]) returns setof access.answer
language sql stable security definer
set search_path = ''
begin atomic
  select judged.*
  from unnest(token_digests, known_versions) with ordinality as asked (digest, version, place)
  cross join lateral access.judge(asked.digest, asked.version) as judged
  order by asked.place;
end;

comment on function access.judge_all(bytea[], text[]) is 'Judges many tokens in one statement, in their order.';
--! EndIncluded access/functions/judge_all.sql
--! Included access/functions/open_session.sql
-- Judges a token as access.judge() does and, when that says 200, opens its studio's session for the rest of the
-- transaction.
create or replace function access.open_session(token_digest bytea, known_version text default null) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer := access.judge(token_digest, known_version);
begin
  if answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text) is
  'Judges a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.get_policy, api_v1.get_account, api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.judge_all, access.current_studio_id, access.current_studio_today, access.current_plan,
  access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
