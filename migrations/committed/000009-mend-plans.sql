--! Previous: sha1:5bf892bb08b64a0fdca12cb4ee381f3f04c7bb48
--! Hash: sha1:4ab7e1e6605d2ebe45efa2772db3da552d2a6977
--! Message: mend plans

-- What the plans showed: counters are looked up by the whole of their key, policies and locations are counted in the order
-- of their lists, a renamed item reads its own maintenance records alone, activity finds its hundredth request once.

set local role studio_owner;

--! Included api_v1/functions/count_items.sql
-- How many live items match. Without updated_since the counters know; with it an index-only scan counts what is newer.
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(category text, coverage_state text, updated_since timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from api_v1.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.category = category and d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.coverage_state = coverage_state and d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from api_v1.item_documents d
    where d.category = category and d.coverage_state = coverage_state and d.updated_at >= updated_since
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz) is 'How many live items match the filters.';
--! EndIncluded api_v1/functions/count_items.sql
--! Included api_v1/functions/count_maintenance.sql
-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
begin
  if item_id is not null then
    return (select count(*) from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity'));
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from api_v1.maintenance_counts c
      where c.status = counted_status);
  elsif status is null then
    return (select count(*) from api_v1.maintenance_documents d where d.updated_at >= updated_since);
  end if;
  return (select count(*) from api_v1.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz) is
  'How many maintenance records match the filters.';
--! EndIncluded api_v1/functions/count_maintenance.sql
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
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.policies p where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc) as active);
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
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.locations l where l.updated_at >= since order by l.updated_at desc, l.id desc) as newer);
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
--! Included app/functions/copy_item_to_maintenance.sql
-- Trigger: maintenance records show the name of their item and vanish while it is archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- planning costs more than the work
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(c.id) into item_ids
  from changed c join before b on b.studio_id = c.studio_id and b.id = c.id
  where (b.name, b.archived_at is null) is distinct from (c.name, c.archived_at is null);
  if item_ids is not null then
    -- No join: the planner would read every record of the studio for it.
    update app.maintenance_records m
    set (item_name, item_archived) = (
      select i.name, i.archived_at is not null from app.items i where i.studio_id = m.studio_id and i.id = m.item_id)
    where m.studio_id = (select access.current_studio_id()) and m.item_id = any (item_ids);
  end if;
  return null;
end
$$;

comment on function app.copy_item_to_maintenance() is
  'Trigger of app.items: copies name and archiving to the maintenance records.';
--! EndIncluded app/functions/copy_item_to_maintenance.sql
--! Included access/functions/current_studio_id.sql
-- The studio that this session may see; null when there is none. Every row-level-security policy compares with it.
--
-- Keyed on session_user, which no SET can change: the service's own pool logins are believed when they name a studio
-- in the setting studio.id, and so are administrators, who could become the owner anyway. Everybody else is an analyst,
-- whose studio stands in access.analyst_logins whatever the setting says. A setting that is missing, empty or no uuid
-- gives null (no rows), never an error.
-- spec: "A caller never sees another studio's data."
create or replace function access.current_studio_id() returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  setting text;
begin
  if session_user in ('studio_api', 'studio_writer', 'studio_console', 'studio_graphql')
     or pg_catalog.pg_has_role(session_user, 'studio_owner', 'member') then
    setting := pg_catalog.current_setting('studio.id', true);
    -- Eight, four, four, four and twelve hexadecimal digits; a regular expression would take four times as long.
    if setting like '________-____-____-____-____________'
       and pg_catalog.translate(setting, '0123456789abcdef', '') = '----' then
      return setting::uuid;
    end if;
    return null;
  end if;
  return (select l.studio_id from access.analyst_logins l where l.login = session_user);
end
$$;

comment on function access.current_studio_id() is
  'The studio that this session may see, by its login; null when there is none.';
--! EndIncluded access/functions/current_studio_id.sql
--! Included access/functions/record_activity.sql
-- Records a batch of requests (parallel arrays, one element a request) and moves each token's last use; of every token
-- touched only the newest 100 requests are kept. Requests of tokens that no longer exist are dropped.
-- spec: "Activity history per token: last 100 requests".
create or replace function access.record_activity(
  token_ids uuid[], ats timestamptz[], endpoints text[], statuses smallint[], durations_ms real[]
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Always in the order of the ids, so that two instances recording at once cannot deadlock.
  perform from access.tokens t where t.id = any (token_ids) order by t.id for no key update;

  insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
  select t.studio_id, t.id, r.at, r.endpoint, r.status, r.duration_ms
  from unnest(token_ids, ats, endpoints, statuses, durations_ms) as r (token_id, at, endpoint, status, duration_ms)
  join access.tokens t on t.id = r.token_id
  order by r.at;

  update access.tokens t set last_used_at = used.at
  from (select r.token_id, max(r.at) as at from unnest(token_ids, ats) as r (token_id, at) group by r.token_id) as used
  where t.id = used.token_id and (t.last_used_at is null or t.last_used_at < used.at);

  -- Materialized, or the hundredth would be looked for again for each row that may be older.
  with hundredth as materialized (
    select t.studio_id, t.id as token_id, newest.at, newest.id
    from access.tokens t, lateral (
      select kept.at, kept.id
      from access.request_activity kept
      where kept.studio_id = t.studio_id and kept.token_id = t.id
      order by kept.at desc, kept.id desc
      offset 99 limit 1
    ) as newest
    where t.id = any (token_ids)
  )
  delete from access.request_activity a
  using hundredth h
  where a.studio_id = h.studio_id and a.token_id = h.token_id and (a.at, a.id) < (h.at, h.id);
end
$$;

comment on function access.record_activity(uuid[], timestamptz[], text[], smallint[], real[]) is
  'Records a batch of requests, moves the tokens'' last use and keeps the newest 100 requests of each.';
--! EndIncluded access/functions/record_activity.sql

reset role;
