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
