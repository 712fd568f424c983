--! Previous: sha1:ed49a3b1f78f8f3abc15a244d39a3dead5eb6931
--! Hash: sha1:f1bc293418026e9a10d3441efc0332d0b9a573c8
--! Message: tell tokens from guesses and count what answers lack

-- Tokens can be told from guesses without asking for each; what an answer lacks is counted, and a lock is waited for shortly.
set local role studio_owner;

--! Included access/functions/token_prefixes.sql
-- The first eight bytes of the digest of every token that was issued since a moment and is not revoked, one after the other, and
-- the moment to ask with next. With them a process tells tokens that may be good from guesses, without asking for each. They
-- authenticate nothing, and say no more of a token than its digest does. The hour is for transactions that issue and stay open.
create or replace function access.token_prefixes(since timestamptz) returns table (prefixes bytea, next_since timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select
    coalesce(pg_catalog.string_agg(pg_catalog.substr(t.digest, 1, 8), ''::bytea), ''::bytea),
    pg_catalog.now() - interval '1 hour'
  from access.tokens t
  where t.revoked_at is null and t.created_at >= since
$$;

comment on function access.token_prefixes(timestamptz) is
  'The first bytes of the digests of the tokens issued since a moment, to tell them from guesses.';
--! EndIncluded access/functions/token_prefixes.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole, with a warning SI206, which the service logs and counts. A lock is waited for
-- half a second, so that these are missing soon. 404 for null (a malformed id), unknown, archived and another studio's alike.
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
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
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
    raise warning 'an item is read in parts: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'item';
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
  document text;
  valuation record;
begin
  answer.version := null;
  -- Without it there is no answer: a lock is waited for as long as usual.
  select d.document into document from api_v1.item_documents d where d.id = id;
  if document is null then
    return answer;
  end if;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'valuation';
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;
  answer.data := api_v1.valued_item(document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount);

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    answer.photo_keys := array(
      select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'photos';
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted, with a
-- warning SI206, which the service logs and counts. 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(token_digest bytea, id uuid, validator text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
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

comment on function api_v1.get_policy(bytea, uuid, text) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
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
  access.open_session, access.authenticate_tokens, access.token_prefixes, access.current_studio_id,
  access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
