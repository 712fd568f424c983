-- GET /items/{id}: one live item, as in the list, with its valuation and its photos' storage keys.
-- If the projection or the photos cannot be read, the rest is complete, and a warning SI206 tells
-- the service to log and count it. Waits for a lock for half a second at most. 404 alike for null
-- (a malformed id), unknown, archived and another studio's.
--   client_address  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(
  token_digest bytea, id uuid, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join service.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    raise warning 'an item is read in parts: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'item';
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, inet) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
