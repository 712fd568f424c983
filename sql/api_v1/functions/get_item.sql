-- GET /items/{id}: one live item, as in the list, with the members of "detail" below, and its
-- photos' storage keys.
-- If the valuation or the photos cannot be read, or are locked for half a second, the item comes
-- without them: null and empty. A warning SI206 then tells the service to log and count it, and a
-- null version not to cache it. 404 alike for null (a malformed id), unknown, archived and another
-- studio's.
--   client_address  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only"; "When the valuation projection
-- is unavailable, only … the valuation fields are null"; "photo_urls … empty array when … signing
-- fails".
create or replace function api_v1.get_item(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
  listed text;
  valuation record;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- The answer needs this row, so the usual lock_timeout holds. The view must not read the
  -- valuation's table: a lock on it would delay the item.
  select d.document into listed from service.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
    null::numeric as gap_amount into valuation;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from service.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'valuation';
    answer.version := null;
  end;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    answer.photo_keys := array(
      select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'photos';
    answer.photo_keys := '{}';
    answer.version := null;
  end;

  answer.data := pg_catalog.left(listed, -1) || ',' || pg_catalog.substr(row_to_json((select detail from (select
    valuation.current_estimated_value, valuation.value_source, null as agreed_value_from_policy,
    valuation.coverage_state, valuation.gap_amount
  ) as detail))::text, 2);
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, inet) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
