-- GET /locations: one page of locations, newest updated first, and the number of all that match. Cursors and the watermark as
-- in api_v1.list_items().
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  after_at timestamptz := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.locations l where l.updated_at >= since and l.updated_at < before
    order by l.updated_at desc, l.id desc) as newer);

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select l.updated_at as at, l.id, row_to_json((select location from (select
      l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
      l.postal_code, l.country_code, l.is_default,
      api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
    ) as location))::text as document
    from api_v1.locations l
    where l.updated_at >= since and l.updated_at < before
      and (l.updated_at, l.id) < (after_at, after_id)
    order by l.updated_at desc, l.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.locations l where l.updated_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_locations(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /locations: a page of locations, newest updated first, and their total.';
