-- Trigger: writes the projection of each new item, and of each item with a changed value in an
-- input of the valuation or in a column by which the list of values filters.
create or replace function app.project_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- This plans the foreign key's check once, too.
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    -- An item that another trigger of the statement has valued keeps that valuation.
    insert into app.item_valuations (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount,
      book_value, revalue_on, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
    select c.studio_id, c.id, (c.assessment).*, c.replacement_cost, c.purchase_price, c.reported_insured_value, c.category, c.location_id,
      c.archived_at is not null
    from (
      select c.*, valuation.assess(
        row(c.*)::app.items, (select k from app.categories k where k.name = c.category),
        (select s from app.studios s where s.id = (select access.current_studio_id())),
        (select access.current_studio_today())) as assessment
      from changed c
      offset '0' -- values each item once
    ) as c
    on conflict do nothing;
    return null;
  else
    select pg_catalog.array_agg(m.id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.category, c.purchase_price, c.acquisition_date, c.depreciation_method, c.useful_life_months,
        c.residual_value, c.depreciation_rate, c.switches_to_straight_line, c.depreciation_changes,
        c.manual_value, c.replacement_cost, c.reported_insured_value, c.market_value, c.location_id, c.archived_at is not null
      from changed c
      except
      select b.id, b.category, b.purchase_price, b.acquisition_date, b.depreciation_method, b.useful_life_months,
        b.residual_value, b.depreciation_rate, b.switches_to_straight_line, b.depreciation_changes,
        b.manual_value, b.replacement_cost, b.reported_insured_value, b.market_value, b.location_id, b.archived_at is not null
      from before b) as m;
  end if;
  if item_ids is not null then
    perform valuation.project(item_ids);
  end if;
  return null;
end
$$;

comment on function app.project_items() is 'Trigger of app.items: writes the projection of changed items.';
