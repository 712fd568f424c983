-- The inventory of the session's studio at the end of a day (valuation.is_held()).
--   item_id   only this item; null: all. The condition is a range of ids, because then one plan uses
--             the index of the key in both cases. PostgreSQL does not consider coalesce() leakproof,
--             so it would not compare it with the index
-- Only studio_owner may call it.
create or replace function valuation.inventory(day date, item_id uuid default null)
returns table (item app.items, studio app.studios)
language sql stable security invoker
begin atomic
  select i, s
  from app.studios s
  join app.items i on i.studio_id = s.id
  where s.id = (select access.current_studio_id())
    and i.id >= case when inventory.item_id is null then '00000000-0000-0000-0000-000000000000' else inventory.item_id end
    and i.id <= case when inventory.item_id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else inventory.item_id end
    and valuation.is_held(inventory.day, i.acquisition_date, (i.created_at at time zone s.timezone)::date,
      coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date), i.archived_at is not null,
      (select access.current_studio_today()));
end;

comment on function valuation.inventory(date, uuid) is 'The inventory of the session''s studio at the end of a day.';
