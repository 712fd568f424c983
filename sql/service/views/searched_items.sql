-- What the items of the list are searched by: a row for each, from the index items_by_words, which
-- has every column that no other index finds. Reading a studio's part of it is a search. For the
-- REST service and the console.
--   tags         also those that are too long for the index
--   name_key     orders by name: its letters and digits, in any case. The words begin with the name
--   has_photo, current_estimated_value   are read only where somebody asks for them
-- The planner may use that index only where a statement says that there are words: otherwise it
-- would guess that it is as cheap as the index of another list.
create or replace view service.searched_items with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state, i.barcode, i.serial_number, i.words,
  coalesce(i.short_tags, (select t.tags from app.items t where t.studio_id = i.studio_id and t.id = i.id)) as tags,
  i.acquisition_date, i.location_id, pg_catalog.split_part(i.words, '|', 1) as name_key,
  -- PostgreSQL reads the photos once. With EXISTS it would search them for each item.
  i.id in (select p.item_id from app.item_photos p) as has_photo,
  v.current_estimated_value::numeric as current_estimated_value
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
where i.archived_at is null and i.words is not null;

comment on view service.searched_items is 'What items are searched and ordered by, for the REST service and the console.';
