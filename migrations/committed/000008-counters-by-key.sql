--! Previous: sha1:77f11eba8f2b4ab6268ad35ac905bd4f0c643e6c
--! Hash: sha1:7a68f100f39dbf688ffd6029245394d57ad21890
--! Message: counters by key

-- Counters are looked up by the whole of their key; policies and locations are counted in the order of their lists.

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
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
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

comment on function api_v1.list_policies(bytea, bigint, integer, timestamptz) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match.
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
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

comment on function api_v1.list_locations(bytea, bigint, integer, timestamptz) is
  'GET /locations: a page of locations, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_locations.sql

reset role;
