-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it; a deep page finds its first key in the index alone before it reads
-- rows. page counts from 1; per_page is 1 to 100; null filters do not filter.
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint;
  first_at timestamptz := 'infinity';
  first_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := api_v1.count_items(category, coverage_state, updated_since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  skipped := (page - 1) * per_page;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.category = category and d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_items(bytea, bigint, integer, text, text, timestamptz) is
  'GET /items: a page of live items, newest updated first, and their total.';
