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
