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
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select whole.data, whole.photo_keys into answer.data, answer.photo_keys from (
      select api_v1.valued_item(d.document, v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount) as data,
        array(select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id) as photo_keys
      from api_v1.item_documents d
      left join api_v1.item_valuations v on v.item_id = id
      where d.id = id
    ) as whole;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
