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
language sql stable security definer
set search_path = ''
set enable_sort = on -- studio_api plans for pages: each item would meet all that have photos
set enable_indexscan = on
begin atomic
  select
    (v.item).id, (v.item).name, (v.item).manufacturer, (v.item).model, (v.item).serial_number, (v.item).barcode,
    (v.item).category, (v.item).location_id, (v.item).acquisition_date, (v.item).purchase_price::numeric,
    (v.assessment).current_estimated_value::numeric, (v.assessment).value_source,
    (v.item).reported_insured_value::numeric, (v.assessment).coverage_state, (v.assessment).gap_amount::numeric,
    (v.assessment).book_value::numeric, (v.item).replacement_cost::numeric,
    coalesce(photos.number, 0)::integer,
    (v.item).external_key
  from valuation.assess_items(items_on.day, items_on.item_id) as v
  left join (
    select p.item_id, count(*) as number from app.item_photos p
    where p.studio_id = (select access.current_studio_id())
      and p.item_id >= case when items_on.item_id is null then '00000000-0000-0000-0000-000000000000' else items_on.item_id end
      and p.item_id <= case when items_on.item_id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else items_on.item_id end
    group by p.item_id
  ) as photos on photos.item_id = (v.item).id
  where items_on.day between '0001-01-01' and '9999-12-31'
  order by (v.item).id;
end;

comment on function api_v1.items_on(date, uuid) is
  'The studio''s equipment at the end of a day, past or future, each item with its value then; all items or one.';
