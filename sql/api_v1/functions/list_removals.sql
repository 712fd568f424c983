-- GET /removals: one page of what has left its list, most recently removed first, and the number of all that match. status 410
-- when removals since that moment are not known any more, or may be incomplete. Cursors and the watermark as in
-- api_v1.list_items().
create or replace function api_v1.list_removals(
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
  if updated_since < access.removals_since() then
    answer.status := 410;
    return answer;
  end if;
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else (select count(*) from (
      select from api_v1.removals r where r.removed_at >= since and r.removed_at < before
      order by r.removed_at desc, r.id desc) as newer)
  end;

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.removed_at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select r.removed_at, r.id, row_to_json((select removal from (select
      r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
    ) as removal))::text as document
    from api_v1.removals r
    where r.removed_at >= since and r.removed_at < before
      and (r.removed_at, r.id) < (after_at, after_id)
    order by r.removed_at desc, r.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.removals r where r.removed_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_removals(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /removals: a page of what has left its list, most recently removed first, and the number of all.';
