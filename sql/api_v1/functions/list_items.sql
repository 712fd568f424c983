-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A page may begin after a row whose key the caller knows (cursor_*);
-- otherwise that key is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   barcode, serial_number   to the character; empty: no item, since empty is not recorded, and none that is longer than 1,000 bytes
--   updated_since   also leaves out what is not before the watermark, so that whoever asks next with the newest updated_at, or
--                   with the watermark, misses nothing: what is left out, and what is not committed yet, is newer
--   validator, client_address  see access.open_session()
--   cursor_at, cursor_id           the key that a client's cursor names; the page begins after it
--   cursor_version, cursor_total   version and total of an answer whose last key that is, the page before this one to the same
--                   question: the cache's cursor, not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, barcode text default null, serial_number text default null, client_address inet default null
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
    else api_v1.count_items(category, coverage_state, updated_since, before, barcode, serial_number)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.item_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if barcode is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif serial_number is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid, text, text, inet) is
  'GET /items: a page of live items, newest updated first, and their total.';
