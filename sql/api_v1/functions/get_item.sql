-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole. 404 for null (a malformed id), unknown, archived and another studio's
-- alike.
-- spec: GET /items/{id}, rules 1 to 3; Item object.
create or replace function api_v1.get_item(token_digest bytea, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  valuation record;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select left(d.document, -1) || ',' || substr(row_to_json(valued)::text, 2) into answer.data
  from api_v1.item_documents d, (
    select valuation.current_estimated_value, valuation.value_source, null as agreed_value_from_policy,
      valuation.coverage_state, valuation.gap_amount
  ) as valued
  where d.id = id;
  if answer.data is null then
    answer.status := 404;
    return answer;
  end if;

  begin
    select coalesce(pg_catalog.array_agg(p.storage_key order by p.position, p.id), '{}') into answer.photo_keys
    from api_v1.item_photos p where p.item_id = id;
  exception when others then
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
