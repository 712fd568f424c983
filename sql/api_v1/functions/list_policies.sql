-- GET /policies: one page of the policies that are active today, most recently started first, and their number. A policy that
-- has begun since updated_since has become visible since then, whenever it was recorded. Cursors and the watermark as in
-- api_v1.list_items(); here the key of a row is (effective_start, id).
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at date default null,
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
  zone text := (select a.timezone from api_v1.account a);
  after_at date := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
  left_out bigint;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  select count(*) filter (where active.since < before), count(*) filter (where active.since >= before)
  into answer.total, left_out
  from (
    select greatest(p.updated_at, access.first_moment(p.effective_start, zone)) as since
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
    order by p.effective_start desc, p.id desc) as active;

  select pg_catalog.array_agg(q.document), pg_catalog.array_agg(q.at), pg_catalog.array_agg(q.id)
  into documents, moments, ids
  from (
    select p.effective_start::timestamp at time zone 'UTC' as at, p.id, row_to_json((select policy from (select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    ) as policy))::text as document
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
      and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) < before
      and (p.effective_start, p.id) < (after_at, after_id)
    order by p.effective_start desc, p.id desc
    offset skipped limit per_page + 1
  ) as q;
  if left_out > 0 then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_policies(
  bytea, bigint, integer, timestamptz, text, text, bigint, date, uuid, inet) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
