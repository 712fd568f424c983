-- GET /policies: one page of the policies that are active today, most recently started first, and their number.
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
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
    select from api_v1.policies p where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc) as active);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;

  select pg_catalog.string_agg(row_to_json(policy)::text, ',') into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    from api_v1.policies p
    where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc
    offset (page - 1) * per_page limit per_page
  ) as policy;
  return answer;
end
$$;

comment on function api_v1.list_policies(bytea, bigint, integer, timestamptz, text) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
