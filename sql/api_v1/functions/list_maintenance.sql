-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
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
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.maintenance_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
