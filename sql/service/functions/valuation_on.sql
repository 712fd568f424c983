-- An item's value at the end of a day, past or to come, as the JSON text of GET /valuations?on=: the
-- columns of service.valuation_documents. No row for an item that the studio does not have by then.
create or replace function service.valuation_on(day date, item_id uuid) returns table (document text)
language sql stable security definer
set search_path = ''
set enable_bitmapscan = on
set enable_indexscan = on
begin atomic
  select row_to_json((select valuation from (select
    (v.item).id as item_id, (v.breakdown).current_estimated_value::numeric as current_estimated_value,
    (v.breakdown).value_source, null::numeric as agreed_value_from_policy, (v.breakdown).coverage_state,
    (v.breakdown).gap_amount::numeric as gap_amount, (v.breakdown).book_value::numeric as book_value,
    (v.item).purchase_price::numeric as purchase_price,
    (v.item).reported_insured_value::numeric as reported_insured_value,
    api_v1.rfc3339(coalesce((
      select p.updated_at from app.item_valuations p
      where p.studio_id = (v.item).studio_id and p.item_id = valuation_on.item_id), (v.item).updated_at)) as updated_at
  ) as valuation))::text
  from valuation.value_items(valuation_on.day, valuation_on.item_id) as v;
end;

comment on function service.valuation_on(date, uuid) is 'The value of one item at the end of a day, as JSON text.';
