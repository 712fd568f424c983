--! Previous: sha1:77f11eba8f2b4ab6268ad35ac905bd4f0c643e6c
--! Hash: sha1:54ba881b9a8bac5f4de431299bfe35f8d33fb135
--! Message: versions of answers

-- Answers have a version, which a caller who held on to one can ask for; long lists have anchors.

set local role studio_owner;

alter type access.answer
  add attribute studio_id uuid,
  add attribute version text,
  add attribute last_at timestamptz,
  add attribute last_id uuid;

drop function api_v1.list_items(bytea, bigint, integer, text, text, timestamptz);
drop function api_v1.list_maintenance(bytea, bigint, integer, uuid, text, timestamptz);
drop function api_v1.list_locations(bytea, bigint, integer, timestamptz);
drop function api_v1.list_policies(bytea, bigint, integer, timestamptz);
drop function api_v1.list_item_policies(bytea, uuid);
drop function api_v1.get_policy(bytea, uuid);
drop function api_v1.get_account(bytea);
drop function access.open_session(bytea);

--! Included access/functions/answer.sql
-- What every operation of the API returns: one row.
--   status      200, 401, 403 or 404; 304 when the version that the caller knows is still the version, and nothing was read
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   total       number of matching records (lists only)
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     what answers depend on besides the question: the studio, its data version and its day. Null when this
--               answer is not what that version says (a part of it could not be had)
--   last_at, last_id  the key of the page's last row, after which the next page begins (long lists only)
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      total bigint,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      last_at timestamptz,
      last_id uuid
    );
  end if;
end
$$;

comment on type access.answer is 'What an operation of the API returns: status, token, plan, total, JSON text, photo keys.';
--! EndIncluded access/functions/answer.sql
--! Included app/functions/add_data_version.sql
-- Moves the data version of some studios, each in a slot that no other open transaction uses. The step is random: a database
-- that was restored, or that took over from another, does not come to the same number with other data.
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  step bigint := 1 + pg_catalog.floor(pg_catalog.random() * 1e9)::bigint;
begin
  foreach studio in array studios loop
    update app.data_versions d set version = d.version + step
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      insert into app.data_versions as held (studio_id, slot, version)
      values (studio, pg_catalog.pg_backend_pid() % 32767, step)
      on conflict (studio_id, slot) do update set version = held.version + step;
    end if;
  end loop;
end
$$;

comment on function app.add_data_version(uuid[]) is 'Moves the data version of some studios.';
--! EndIncluded app/functions/add_data_version.sql
--! Included access/functions/data_version.sql
-- What the answers for a studio depend on besides the question, as a text: the studio, its data version, today's date there.
-- Two answers to one question that have the same version are the same.
create or replace function access.data_version(studio app.studios) returns text
language sql stable security invoker
return studio.id || '/'
  || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = studio.id), 0) || '/'
  || (access.clock() at time zone studio.timezone)::date;

comment on function access.data_version(app.studios) is 'The version of everything the API may answer for a studio.';
--! EndIncluded access/functions/data_version.sql
--! Included access/functions/open_session.sql
-- Judges a token and opens its studio's session for the rest of the transaction: one look-up by the digest of the
-- whole token, the membership of its effective user and the plan, all at this moment. status 401: unknown or revoked,
-- or its effective user is no current member. 403: the plan includes no API access. 304: all is well, and the version that
-- the caller knows is the version of this moment: there is nothing to read. 200: the session is open.
--   known_version  a version that an earlier answer had; null for none
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.open_session(token_digest bytea, known_version text default null) returns access.answer
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

  if answer.token_id is null then
    answer.status := 401;
  elsif answer.plan_tier is null then
    answer.status := 403;
  elsif answer.version = known_version then
    answer.status := 304;
  else
    answer.status := 200;
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text) is
  'Judges a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A deep page begins after the last row of the page before it, whose key
-- the caller may know (anchor_*); otherwise it is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   known_version   see access.open_session()
--   anchor_version, anchor_total, anchor_at, anchor_id  version, total and last key of an answer that was the page before
--                   this one to the same question; not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  known_version text default null,
  anchor_version text default null, anchor_total bigint default null, anchor_at timestamptz default null,
  anchor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint := 0;
  after_at timestamptz := 'infinity';
  after_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when anchor_version = answer.version then anchor_total
    else api_v1.count_items(category, coverage_state, updated_since)
  end;
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  if anchor_version = answer.version then
    after_at := anchor_at;
    after_id := anchor_id;
  else
    skipped := (page - 1) * per_page;
  end if;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
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
  valuation record;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select left(d.document, -1) || ',' || substr(row_to_json(valued)::text, 2) into answer.data
  from api_v1.item_documents d, (
    select valuation.current_estimated_value, valuation.value_source, null as agreed_value_from_policy,
      valuation.coverage_state, valuation.gap_amount
  ) as valued
  where d.id = id;
  if answer.data is null then
    answer.status := 404;
    return answer;
  end if;

  begin
    select coalesce(pg_catalog.array_agg(p.storage_key order by p.position, p.id), '{}') into answer.photo_keys
    from api_v1.item_photos p where p.item_id = id;
  exception when others then
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(token_digest bytea, id uuid, known_version text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from api_v1.item_documents d where d.id = id;
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

comment on function api_v1.list_item_policies(bytea, uuid, text) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match.
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, known_version text default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := (select count(*) from api_v1.locations l where l.updated_at >= since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;

  select pg_catalog.string_agg(row_to_json(location)::text, ',') into answer.data from (
    select
      l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
      l.postal_code, l.country_code, l.is_default,
      api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
    from api_v1.locations l
    where l.updated_at >= since
    order by l.updated_at desc, l.id desc
    offset (page - 1) * per_page limit per_page
  ) as location;
  return answer;
end
$$;

comment on function api_v1.list_locations(bytea, bigint, integer, timestamptz, text) is
  'GET /locations: a page of locations, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_locations.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and anchors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  known_version text default null,
  anchor_version text default null, anchor_total bigint default null, anchor_at timestamptz default null,
  anchor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint := 0;
  after_at timestamptz := 'infinity';
  after_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when anchor_version = answer.version then anchor_total
    else api_v1.count_maintenance(item_id, status, updated_since)
  end;
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  if anchor_version = answer.version then
    after_at := anchor_at;
    after_id := anchor_id;
  else
    skipped := (page - 1) * per_page;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/list_policies.sql
-- GET /policies: one page of the policies that are active today, most recently started first, and their number.
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, known_version text default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := (select count(*) from api_v1.policies p where p.active and p.updated_at >= since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;

  select pg_catalog.string_agg(row_to_json(policy)::text, ',') into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    from api_v1.policies p
    where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc
    offset (page - 1) * per_page limit per_page
  ) as policy;
  return answer;
end
$$;

comment on function api_v1.list_policies(bytea, bigint, integer, timestamptz, text) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted.
-- 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(token_digest bytea, id uuid, known_version text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, known_version);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
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
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(token_digest bytea, known_version text default null) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest, known_version);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      api_v1.count_items(null, null, null) as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, text) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql
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
  access.open_session, access.current_studio_id, access.current_studio_today, access.current_plan,
  access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
