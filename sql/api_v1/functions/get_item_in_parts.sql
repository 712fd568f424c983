-- Reads what get_item() reads part by part, if they cannot be read together. An unreadable part is
-- null (the valuation) or empty (the photos); the rest is complete. The answer has no version, so
-- it is not cached.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If
-- signing photos fails, photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  document text;
  valuation record;
begin
  answer.version := null;
  -- There is no answer without the item, so wait for a lock as long as usual.
  select d.document into document from service.item_documents d where d.id = id;
  if document is null then
    return answer;
  end if;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from service.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'valuation';
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;
  answer.data := api_v1.valued_item(document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount);

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    answer.photo_keys := array(
      select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'photos';
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
