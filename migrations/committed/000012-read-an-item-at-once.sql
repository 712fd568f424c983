--! Previous: sha1:f3b45ec710375d8c355d37d6fc5787db8f9c7e1e
--! Hash: sha1:5b4fcc222c44304101cea50257db6189bd83211b
--! Message: read an item at once

-- The judgement and the item cost less: an item is read in one query, and in parts only where that fails; the plan of a
-- subscription is an expression of the query that asks for it; no plan reads the whole of a table.

--! Included roles.sql
-- The roles of a studio inventory. They belong to the whole server and are shared by its databases, so they are
-- created only where they are missing. None is superuser, bypasses row-level security or is a member of another.
-- Run as the administrator.

do $$
declare
  missing record;
begin
  for missing in
    select r.name, r.attributes
    from (values
      ('studio_owner', 'nologin'),    -- owns every object
      ('studio_api', 'login'),        -- the REST pool: reads api_v1
      ('studio_recorder', 'login'),   -- records request activity and last use
      ('studio_writer', 'login'),     -- the app's and the importer's writes
      ('studio_console', 'login'),    -- the console's pool
      ('studio_graphql', 'login'),    -- the GraphQL pool
      ('studio_analyst', 'nologin'),  -- group: each analyst is a login of it
      ('studio_auditor', 'nologin')   -- group: reads the audit views
    ) as r (name, attributes)
    where not exists (select from pg_catalog.pg_roles where rolname = r.name)
  loop
    execute format('create role %I %s noinherit', missing.name, missing.attributes);
  end loop;

  -- An administrator that is not superuser becomes a member of the owner, to create and change its objects.
  if not pg_catalog.pg_has_role(current_user, 'studio_owner', 'usage') then
    execute format('grant studio_owner to %I', current_user);
  end if;
end
$$;

-- One plan per statement for all studios; nothing compiled; timestamps leave the server in UTC. Columns without statistics
-- leave the planner guessing: every list is made to be read in the order of its index, so it is not to sort instead; and a
-- plan that was made while a table was small, or full of dead rows, would read all of it.
alter role studio_api set plan_cache_mode = 'force_generic_plan';
alter role studio_api set enable_seqscan = off;
alter role studio_api set enable_sort = off;
alter role studio_api set enable_bitmapscan = off;
alter role studio_api set jit = off;
alter role studio_api set timezone = 'UTC';
alter role studio_api set search_path = '';
alter role studio_api set default_transaction_read_only = on;
alter role studio_api set idle_in_transaction_session_timeout = '5s';
alter role studio_api set lock_timeout = '2s';

alter role studio_recorder set timezone = 'UTC';
alter role studio_recorder set search_path = '';
alter role studio_recorder set idle_in_transaction_session_timeout = '5s';
alter role studio_recorder set lock_timeout = '2s';
alter role studio_writer set timezone = 'UTC';
alter role studio_writer set jit = off;
alter role studio_console set timezone = 'UTC';
alter role studio_console set search_path = '';
alter role studio_console set idle_in_transaction_session_timeout = '5s';
alter role studio_console set lock_timeout = '2s';
alter role studio_graphql set timezone = 'UTC';
alter role studio_graphql set jit = off;
alter role studio_graphql set default_transaction_read_only = on;
alter role studio_graphql set search_path = '';
alter role studio_graphql set idle_in_transaction_session_timeout = '20s';
alter role studio_graphql set lock_timeout = '2s';
-- A statement whose client has gone ends; not every operating system can tell.
do $$
begin
  alter role studio_api set client_connection_check_interval = '1s';
  alter role studio_console set client_connection_check_interval = '1s';
  alter role studio_graphql set client_connection_check_interval = '1s';
exception when invalid_parameter_value then
  null;
end
$$;

-- A service that vanished without a word (its machine is gone, the network cut) leaves its sessions behind: for half a
-- minute instead of the system's hours. Other systems than Linux would complain of these at each login.
do $$
declare
  login text;
begin
  if pg_catalog.version() like '%linux%' then
    foreach login in array array['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'] loop
      execute pg_catalog.format('alter role %I set tcp_keepalives_idle = 15', login);
      execute pg_catalog.format('alter role %I set tcp_keepalives_interval = 5', login);
      execute pg_catalog.format('alter role %I set tcp_keepalives_count = 3', login);
      execute pg_catalog.format('alter role %I set tcp_user_timeout = 30000', login);
    end loop;
  end if;
end
$$;

-- A connection pooler keeps the service's own limit from the server; where there is none, the service's comes first.
alter role studio_api set statement_timeout = '5s';
alter role studio_recorder set statement_timeout = '5s';
alter role studio_console set statement_timeout = '5s';
alter role studio_graphql set statement_timeout = '5s';
--! EndIncluded roles.sql

set local role studio_owner;

--! Included access/functions/entitled_plan.sql
-- The plan that a subscription entitles to at this moment; null when it includes no API access.
-- A trial runs to trial_ends_at; a canceled or past-due subscription to the end of its paid period.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access".
create or replace function access.entitled_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case
  when subscription.status = 'active'
    or (subscription.status = 'trialing' and access.clock() < subscription.trial_ends_at)
    or (subscription.status in ('canceled', 'past_due') and access.clock() < subscription.current_period_end)
  then subscription.plan
end;

comment on function access.entitled_plan(access.subscriptions) is
  'The plan a subscription entitles to now: pro, pro_insure or studio; null when it includes no API access.';
--! EndIncluded access/functions/entitled_plan.sql
--! Included api_v1/functions/valued_item.sql
-- The document of an item with its valuation as further members, in JSON text. Values that are null are there as null.
-- spec: Item object, "Detail only".
create or replace function api_v1.valued_item(
  document text, current_estimated_value numeric, value_source text, coverage_state text, gap_amount numeric
) returns text
language sql stable security invoker
return left(document, -1) || ',' || substr(
  row_to_json((select valued from (
    select current_estimated_value, value_source, null as agreed_value_from_policy, coverage_state, gap_amount
  ) as valued))::text, 2);

comment on function api_v1.valued_item(text, numeric, text, text, numeric) is
  'The document of an item with its valuation as further members.';
--! EndIncluded api_v1/functions/valued_item.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole.
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
  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
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
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole. 404 for null (a malformed id), unknown, archived and another studio's
-- alike.
-- spec: GET /items/{id}, rules 1 to 3; Item object.
create or replace function api_v1.get_item(token_digest bytea, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select whole.data, whole.photo_keys into answer.data, answer.photo_keys from (
      select api_v1.valued_item(d.document, v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount) as data,
        array(select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id) as photo_keys
      from api_v1.item_documents d
      left join api_v1.item_valuations v on v.item_id = id
      where d.id = id
    ) as whole;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
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
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.get_policy, api_v1.get_account, api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.judge_all, access.current_studio_id, access.current_studio_today, access.current_plan,
  access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
