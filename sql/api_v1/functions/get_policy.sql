-- GET /policies/{id}: any policy of the studio, with its number of assignments; 0 and a warning
-- SI206, which the service logs and counts, if they cannot be counted. 404 alike for null (a
-- malformed id), unknown and another studio's.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is
-- still returned)."
create or replace function api_v1.get_policy(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
    raise warning 'a policy is shown without its assignments: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'assignments_count';
    assignments := 0;
    answer.version := null;
  end;

  select row_to_json(policy)::text into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived, assignments as assignments_count
    from api_v1.policies p where p.id = id
  ) as policy;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_policy(bytea, uuid, inet) is 'GET /policies/{id}: one policy with its number of assignments.';
