-- The inventory at the end of a day, past or future, valued as of then; columns as in api_v1.items.
-- 31 March includes the charge of March, so today here equals tomorrow in the API. Market values
-- count from the day they were known; other columns are as recorded now, not as recorded then
-- (api_v1.closed_values has those).
--   day       no rows if null or outside the years 1 to 9999
--   item_id   only this item; null: all
create or replace function api_v1.items_on(day date, item_id uuid default null)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, purchase_price numeric, current_estimated_value numeric, value_source text,
  reported_insured_value numeric, coverage_state text, gap_amount numeric, book_value numeric, replacement_cost numeric,
  photo_count integer, external_key text
)
language plpgsql stable security definer
set search_path = ''
-- studio_api is set up for pages of a list. Its settings would make PostgreSQL compare each item
-- with every item that has photos.
set enable_sort = on
set enable_bitmapscan = on
set enable_indexscan = on
set jit = off
set work_mem = '32MB' -- all items fit into this memory
as $$
#variable_conflict use_column
begin
  if items_on.day not between '0001-01-01' and '9999-12-31' then
    return;
  elsif items_on.item_id is null then
    return query
    select
      v.id, v.name, v.manufacturer, v.model, v.serial_number, v.barcode, v.category, v.location_id, v.acquisition_date,
      v.purchase_price, v.current_estimated_value, v.value_source, v.reported_insured_value, v.coverage_state, v.gap_amount,
      v.book_value, v.replacement_cost, coalesce(photos.number, 0)::integer, v.external_key
    from valuation.assess_items(items_on.day) as v
    left join (
      select p.item_id, count(*) as number from app.item_photos p
      where p.studio_id = (select access.current_studio_id()) group by p.item_id
    ) as photos on photos.item_id = v.id
    order by v.id;
  else
    return query
    select
      (v.item).id, (v.item).name, (v.item).manufacturer, (v.item).model, (v.item).serial_number, (v.item).barcode,
      (v.item).category, (v.item).location_id, (v.item).acquisition_date, (v.item).purchase_price::numeric,
      (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.item).reported_insured_value::numeric,
      (v.breakdown).coverage_state, (v.breakdown).gap_amount, (v.breakdown).book_value, (v.item).replacement_cost::numeric,
      (select count(*) from app.item_photos p where p.studio_id = (v.item).studio_id and p.item_id = (v.item).id)::integer,
      (v.item).external_key
    from valuation.value_items(items_on.day, items_on.item_id) as v;
  end if;
end
$$;

comment on function api_v1.items_on(date, uuid) is
  'The studio''s equipment at the end of a day, past or future, each item with its value then; all items or one.';
