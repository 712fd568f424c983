--! Previous: sha1:e3120162775b6bef2fdf11132862eb9218efa273
--! Hash: sha1:22d0114ebc5c2aa2554aa8d5903215026c3f839f
--! Message: read a list by one statement

-- The service reads a list by one statement of its own instead of two functions; what reads a resource has no validator any more.
set local role studio_owner;

drop function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid, text, text, inet);
drop function api_v1.list_locations(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet);
drop function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid, inet);
drop function api_v1.list_policies(
  bytea, bigint, integer, timestamptz, text, text, bigint, date, uuid, inet);
drop function api_v1.list_removals(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet);
drop function api_v1.with_page(access.answer, integer, text[], timestamptz[], uuid[]);
drop function api_v1.count_items(text, text, timestamptz, timestamptz, text, text);
drop function api_v1.count_maintenance(uuid, text, timestamptz, timestamptz);
drop function api_v1.get_item(bytea, uuid, text, inet);
drop function api_v1.list_item_policies(bytea, uuid, text, inet);
drop function api_v1.get_policy(bytea, uuid, text, inet);
drop function api_v1.get_account(bytea, text, inet);
drop function access.open_session(bytea, text, inet);
drop function access.authenticate_tokens(bytea[], text[], inet[]);

alter type access.answer drop attribute total;
alter type access.answer drop attribute last_at;
alter type access.answer drop attribute last_id;
alter type access.answer drop attribute has_more;

--! Included access/functions/answer.sql
-- What authenticates a request, and reads a single resource, returns: one row.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     what answers depend on besides the question: the studio, its data version and its day. Null when this
--               answer is not what that version says, because a part of it could not be read
--   watermark   every change before this moment is visible; null when there was no heartbeat, and with 401
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      watermark timestamptz
    );
  end if;
end
$$;

comment on type access.answer is 'What reads a resource returns: status, token, plan, JSON text, photo keys, version.';
--! EndIncluded access/functions/answer.sql
--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: neither revoked nor expired, and their effective user is a current member. status
-- 403: the plan includes no API access, and plan_tier is null; else 200. Whoever reads it compares addresses with the client's: null
-- is any, else one of them has to contain it. changes_this_second: an end that may change the status is in this second of the clock;
-- null or false when none is. For access.open_session() and access.authenticate_batch() alone.
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
--! Included access/functions/open_session.sql
-- Authenticates a token and, when that gives 200, opens its studio's session for the rest of the transaction. One look-up by the
-- digest of the whole token, the membership of its effective user and the plan, all at this moment. status 401:
-- access.recognised_tokens does not have it, or not for this address. 403: the plan includes no API access. 200: all is well.
--   client_address  where the request comes from; null: unknown, which is no address that a token with a list of them accepts
create or replace function access.open_session(token_digest bytea, client_address inet default null)
returns access.answer
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
  where t.digest = token_digest and (t.addresses is null or client_address <<= any (t.addresses));

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, inet) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included service/views/location_documents.sql
-- The locations of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
create or replace view service.location_documents with (security_invoker = true) as
select l.id, l.updated_at,
  row_to_json((select location from (select
    l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
    l.postal_code, l.country_code, l.is_default,
    api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
  ) as location))::text as document
from api_v1.locations l;

comment on view service.location_documents is 'Locations as JSON text, for the REST service.';
--! EndIncluded service/views/location_documents.sql
--! Included service/views/policy_documents.sql
-- The policies that are active today, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- A policy that has begun became visible on its first day, whenever it was recorded: changed_at is the later of the two moments.
-- spec: GET /policies; Policy activity.
create or replace view service.policy_documents with (security_invoker = true) as
select p.id, p.effective_start,
  greatest(p.updated_at, access.first_moment(p.effective_start, (select a.timezone from access.current_account() a)))
    as changed_at,
  row_to_json((select policy from (select
    p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
    p.location_constraints, p.effective_start, p.effective_end, p.archived
  ) as policy))::text as document
from api_v1.policies p
where p.active;

comment on view service.policy_documents is 'Active policies as JSON text, for the REST service.';
--! EndIncluded service/views/policy_documents.sql
--! Included service/views/removal_documents.sql
-- What has left its list, each removal as its JSON text, beside the columns that filter and order it. For the REST service.
create or replace view service.removal_documents with (security_invoker = true) as
select r.id, r.removed_at,
  row_to_json((select removal from (select
    r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
  ) as removal))::text as document
from api_v1.removals r;

comment on view service.removal_documents is 'Removals as JSON text, for the REST service.';
--! EndIncluded service/views/removal_documents.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole, with a warning SI206, which the service logs and counts. A lock is waited for
-- half a second, so that these are missing soon. 404 for null (a malformed id), unknown, archived and another studio's alike.
--   client_address  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(
  token_digest bytea, id uuid, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join service.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    raise warning 'an item is read in parts: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'item';
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, inet) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(
  token_digest bytea, id uuid, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from service.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select coalesce(pg_catalog.string_agg(row_to_json(assignment)::text, ','), '') into answer.data from (
    select a.policy_id, a.policy_name, a.declared_value, a.is_primary, a.effective_start, a.effective_end
    from api_v1.assignments a
    where a.item_id = id
    order by a.is_primary desc, a.policy_id, a.effective_start, a.effective_end, a.declared_value
  ) as assignment;
  return answer;
end
$$;

comment on function api_v1.list_item_policies(bytea, uuid, inet) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted, with a
-- warning SI206, which the service logs and counts. 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(
  token_digest bytea, id uuid, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, client_address);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
    raise warning 'a policy is shown without its assignments: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'assignments_count';
    assignments := 0;
    answer.version := null;
  end;

  select row_to_json(policy)::text into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived, assignments as assignments_count
    from api_v1.policies p where p.id = id
  ) as policy;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_policy(bytea, uuid, inet) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(
  token_digest bytea, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      (select coalesce(sum(c.items), 0) from service.item_counts c where c.category = '*' and c.coverage_state = '*')
        as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, inet) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql
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
  service.maintenance_counts, service.location_documents, service.policy_documents, service.removal_documents to studio_api;

grant execute on function
  api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item, api_v1.list_item_policies, api_v1.get_policy,
  api_v1.get_account, api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_batch, access.token_prefixes,
  access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'service.item_documents', '*'),
  ('studio_api', 'SELECT', 'service.item_valuations', '*'),
  ('studio_api', 'SELECT', 'service.item_photos', '*'),
  ('studio_api', 'SELECT', 'service.item_counts', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_counts', '*'),
  ('studio_api', 'SELECT', 'service.location_documents', '*'),
  ('studio_api', 'SELECT', 'service.policy_documents', '*'),
  ('studio_api', 'SELECT', 'service.removal_documents', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state document'),
  ('studio_api', 'SELECT', 'app.maintenance_records', 'document'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closings', 'studio_id month_end closed_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closed_values',
    'studio_id month_end item_id name category currency current_estimated_value value_source coverage_state
     reported_insured_value gap_amount purchase_price acquisition_date depreciation_method useful_life_months
     residual_value financial_year_start_month market_value market_value_as_of manual_value replacement_cost'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql

reset role;
