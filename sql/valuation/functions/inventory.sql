-- The inventory of the session's studio at the end of a day: an item belongs to it from the day of its acquisition, or from the
-- day on which it was recorded when that is earlier or no acquisition is; until the day before it was disposed of or, without such a day,
-- archived. An item that is archived now is in no inventory of today or later, even if it was archived with a later date. Days are the
-- studio's. Granted to nobody but studio_owner.
--   item_id   only this item; null for all. It is compared as a range, so that one plan reads one item or all by the key; not by
--             coalesce, which may not be evaluated before row-level security, and so not by the index
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
    and (i.acquisition_date <= inventory.day or (i.created_at at time zone s.timezone)::date <= inventory.day)
    and (i.archived_at is null
      or (inventory.day < coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date)
        and inventory.day < (select access.current_studio_today())));
end;

comment on function valuation.inventory(date, uuid) is 'The inventory of the session''s studio at the end of a day.';
