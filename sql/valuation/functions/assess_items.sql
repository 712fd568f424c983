-- The inventory of the session's studio at the end of a day, with each item's value.
-- Equals valuation.value_items(), but takes the values from the projection where they still hold:
-- no market value came later, and the item does not depreciate or its next change comes later.
--   item_id   only this item; null: all
-- Only studio_owner may call it.
create or replace function valuation.assess_items(day date, item_id uuid default null)
returns table (item app.items, assessment valuation.assessment)
language sql stable security invoker
begin atomic
  select v.item, valued.assessment
  from valuation.inventory(assess_items.day, assess_items.item_id) as v
  left join app.item_valuations p on p.studio_id = (v.item).studio_id and p.item_id = (v.item).id
    and p.item_id >= case when assess_items.item_id is null then '00000000-0000-0000-0000-000000000000' else assess_items.item_id end
    and p.item_id <= case when assess_items.item_id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else assess_items.item_id end
  cross join lateral (
    select case
      when p.value_source is not null and (v.item).depreciation_changes is null
        and ((v.item).depreciation_method = 'none' or (v.item).purchase_price = 0 or (v.item).acquisition_date is null
          or (assess_items.day >= (select access.current_studio_today())
            and (p.revalue_on is null or assess_items.day < p.revalue_on - 1)))
        -- A set, made once.
        and (v.item).id not in (
          select h.item_id from app.market_value_history h
          where h.studio_id = (select access.current_studio_id()) and h.day > assess_items.day)
      then (p.current_estimated_value, p.value_source, p.coverage_state, p.gap_amount, p.book_value, p.revalue_on)::valuation.assessment
      else (
        select ((b.breakdown).current_estimated_value, (b.breakdown).value_source, (b.breakdown).coverage_state,
          (b.breakdown).gap_amount, (b.breakdown).book_value, (b.breakdown).revalue_on)::valuation.assessment
        from (
          select valuation.value_item(
            v.item, (select c from app.categories c where c.name = (v.item).category), v.studio, (
              select round(h.value, (v.studio).minor_units) from app.market_value_history h
              where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= assess_items.day
              order by h.id desc limit 1),
            assess_items.day + 1) as breakdown
          offset 0
        ) as b)
      end as assessment
    -- A function in FROM costs a table of one row for each item.
    offset 0
  ) as valued;
end;

comment on function valuation.assess_items(date, uuid) is
  'The inventory of the session''s studio at the end of a day, and each item''s value then.';
