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
