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
        and (v.item).id not in (
          select h.item_id from app.market_value_history h
          where h.day > assess_items.day and h.studio_id = (select access.current_studio_id())
            and h.item_id >= case when assess_items.item_id is null
              then '00000000-0000-0000-0000-000000000000' else assess_items.item_id end
            and h.item_id <= case when assess_items.item_id is null
              then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else assess_items.item_id end)
      then (p.current_estimated_value, p.value_source, p.coverage_state, p.gap_amount, p.book_value, p.revalue_on)::valuation.assessment
      else (
        select case when t.is_usual then (
          select (b.value, valuation.value_source(b.market_value, (v.item).manual_value, b.worth, (v.item).purchase_price,
              (v.item).replacement_cost), valuation.coverage_state(b.value, (v.item).reported_insured_value),
            b.value - (v.item).reported_insured_value, coalesce(b.worth, nullif((v.item).purchase_price, 0)), null)::valuation.assessment
          from (
            select m.*, coalesce(m.market_value, (v.item).manual_value, m.worth, nullif((v.item).purchase_price, 0),
              (v.item).replacement_cost)::numeric as value
            from (
              select round(market.value, t.decimals) as market_value, case
                when (v.item).depreciation_method <> 'none' and t.cost <> 0 and t.starts_on is not null then valuation.usual_worth(
                  t.cost, t.floor_value, t.life, t.rate, t.first_year_months,
                  valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, assess_items.day + 1), t.decimals)
                end as worth
              offset 0
            ) as m
            offset 0
          ) as b
        ) else (
          select ((b.breakdown).current_estimated_value, (b.breakdown).value_source, (b.breakdown).coverage_state,
            (b.breakdown).gap_amount, (b.breakdown).book_value, (b.breakdown).revalue_on)::valuation.assessment
          from (
            select valuation.value_item(
              v.item, (select c from app.categories c where c.name = (v.item).category), v.studio, round(market.value, t.decimals),
              assess_items.day + 1) as breakdown
            offset 0
          ) as b
        ) end
        from (
          -- Arrays, made once; a join with the categories would lose the order of the items.
          select pg_catalog.array_position((select array_agg(c.name order by c.name) from valuation.category_terms() as c),
            (v.item).category) as at
          offset 0
        ) as k
        cross join lateral (
          select (select array_agg(c.useful_life_months order by c.name) from valuation.category_terms() as c)[k.at] as life,
            (select array_agg(c.residual_rate order by c.name) from valuation.category_terms() as c)[k.at] as residual_rate,
            (select array_agg(c.rate order by c.name) from valuation.category_terms() as c)[k.at] as rate,
            (select array_agg(c.switches order by c.name) from valuation.category_terms() as c)[k.at] as switches
          offset 0
        ) as c
        cross join lateral valuation.usual_terms(v.item, v.studio, c.life, c.residual_rate, c.rate, c.switches) as t
        cross join lateral (
          -- The last value known by the day; it may have another currency's decimals.
          select case when (v.item).id in (
            select h.item_id from app.market_value_history h
            where h.day <= assess_items.day and h.studio_id = (select access.current_studio_id())
            and h.item_id >= case when assess_items.item_id is null
              then '00000000-0000-0000-0000-000000000000' else assess_items.item_id end
            and h.item_id <= case when assess_items.item_id is null
              then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else assess_items.item_id end)
          then (
            select h.value from app.market_value_history h
            where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= assess_items.day
            order by h.id desc limit 1) end as value
          offset 0
        ) as market)
      end as assessment
    -- A function in FROM costs a table of one row for each item.
    offset 0
  ) as valued;
end;

comment on function valuation.assess_items(date, uuid) is
  'The inventory of the session''s studio at the end of a day, and each item''s value then.';
