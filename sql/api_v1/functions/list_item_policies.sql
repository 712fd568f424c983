-- GET /items/{id}/policies: all assignments of a live item, the primary one first. Looks up the
-- item first; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from service.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select coalesce(pg_catalog.string_agg(row_to_json(assignment)::text, ','), '') into answer.data from (
    select a.policy_id, a.policy_name, a.declared_value, a.is_primary, a.effective_start, a.effective_end
    from api_v1.assignments a
    where a.item_id = id
    order by a.is_primary desc, a.policy_id, a.effective_start, a.effective_end, a.declared_value
  ) as assignment;
  return answer;
end
$$;

comment on function api_v1.list_item_policies(bytea, uuid, inet) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
