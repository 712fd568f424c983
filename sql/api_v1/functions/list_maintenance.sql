-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz
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
  answer.total := api_v1.count_maintenance(item_id, status, updated_since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  skipped := (page - 1) * per_page;

  if item_id is not null then
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit per_page) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.maintenance_documents d
      where d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_maintenance(bytea, bigint, integer, uuid, text, timestamptz) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
