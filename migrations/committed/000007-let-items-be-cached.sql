--! Previous: sha1:ae76f58e18d61260d99f8d8d88ec26de052fdaaf
--! Hash: sha1:ebc6a4dec220b584eef68194258a464af85fbad6
--! Message: let items be cached

-- A statement that authenticates a token reads the version and the watermark by its own plan, and the detail of an item takes
-- a validator, as everything else does.
set local role studio_owner;

drop function api_v1.get_item(bytea, uuid, boolean);

--! Included access/views/current_watermark.sql
-- The moment before which nothing can still become visible to this snapshot, in one row: whatever it does not see, of
-- transactions that are open or yet to come, is stamped at or after it (app.stamp()). To the millisecond, one or two seconds
-- ago; older while a transaction that writes is open, by as long as that one. Never later than now. Null when there was no
-- heartbeat yet.
-- Behind one that is older than all heartbeats it is the moment of the first of them: none was announced before that one, so
-- nothing that is not visible has an earlier stamp. (The migration that made app.stamp() locked out whoever wrote without it.)
-- It is right for whatever the same statement reads, on a replica too, where it is the replica's own. A view, so that it
-- becomes part of the statement that reads it: a function's statement is started for each call.
create or replace view access.current_watermark with (security_invoker = true) as
select least(
  coalesce(
    (select h.at from app.heartbeats h
     where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1),
    (select h.at from app.heartbeats h order by h.xid limit 1)),
  case when exists (select from app.heartbeats) then pg_catalog.date_trunc('milliseconds', pg_catalog.now()) end) as at;

comment on view access.current_watermark is 'The moment before which nothing can still become visible to this snapshot.';
--! EndIncluded access/views/current_watermark.sql
--! Included access/functions/watermark.sql
-- access.current_watermark, for those who may not read it: the heartbeat.
create or replace function access.watermark() returns timestamptz
language sql stable security definer
set search_path = ''
return (select w.at from access.current_watermark w);

comment on function access.watermark() is 'The moment before which nothing can still become visible to this snapshot.';
--! EndIncluded access/functions/watermark.sql
--! Included access/views/studio_versions.sql
-- What the answers for a studio depend on besides the question, as a text: the studio, its data version, today's date there.
-- Two answers to one question that have the same version are the same.
create or replace view access.studio_versions with (security_invoker = true) as
select s.id as studio_id,
  s.id || '/'
    || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = s.id), 0) || '/'
    || (access.clock() at time zone s.timezone)::date as version
from app.studios s;

comment on view access.studio_versions is 'The version of everything the API may answer for each studio.';
--! EndIncluded access/views/studio_versions.sql
--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: not revoked, and their effective user is a current member. status 403: the plan
-- includes no API access, and plan_tier is null; else 200. For access.open_session() and access.authenticate_tokens() alone.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace view access.recognised_tokens with (security_invoker = true) as
select t.digest, t.id as token_id, t.studio_id, plan.tier as plan_tier,
  (case when plan.tier is null then 403 else 200 end)::smallint as status
from access.tokens t
join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
left join access.subscriptions s on s.studio_id = t.studio_id
cross join lateral (select access.api_plan(s) as tier) as plan
where t.revoked_at is null;

comment on view access.recognised_tokens is 'The tokens that are recognised at this moment, with the plan of their studio.';
--! EndIncluded access/views/recognised_tokens.sql
--! Included access/functions/open_session.sql
-- Authenticates a token and, when that gives 200, opens its studio's session for the rest of the transaction. One look-up by the
-- digest of the whole token, the membership of its effective user and the plan, all at this moment. status 401:
-- access.recognised_tokens does not have it. 403: the plan includes no API access. 304: all is well, and the validator is the
-- version of this moment. 200: all is well.
--   validator  the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
create or replace function access.open_session(token_digest bytea, validator text default null) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier, v.version, w.at
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark
  from access.recognised_tokens t
  join access.studio_versions v on v.studio_id = t.studio_id
  cross join access.current_watermark w
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 and answer.version = validator then
    answer.status := 304;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/authenticate_tokens.sql
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none): in
-- their order, what access.open_session() says of each. Nothing is read and no session is opened. Both are looked up
-- for each token by their keys (offset 0): the planner does not know how many there are.
create or replace function access.authenticate_tokens(token_digests bytea[], validators text[]) returns setof access.answer
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
    from unnest(token_digests, validators) with ordinality as asked (digest, validator, place)
    left join lateral (select r.* from access.recognised_tokens r where r.digest = asked.digest offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w
    order by asked.place
  loop
    return next answer;
  end loop;
end
$$;

comment on function access.authenticate_tokens(bytea[], text[]) is 'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole, with a warning in the log. 404 for null (a malformed id), unknown, archived
-- and another studio's alike.
--   validator  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(token_digest bytea, id uuid, validator text default null) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join api_v1.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, text) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole. Without a version, so that nobody caches it.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If signing photos fails,
-- photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  valuation record;
begin
  answer.version := null;
  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate;
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select api_v1.valued_item(d.document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount)
  into answer.data
  from api_v1.item_documents d where d.id = id;

  begin
    answer.photo_keys := array(
      select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate;
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql

drop function access.authenticate_token(bytea, text);
drop function access.open_unversioned_session(bytea);
drop function access.data_version(app.studios);

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
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
