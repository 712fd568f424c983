-- Trigger: writes the projection of each new item, and of each item with a changed input of the
-- valuation or column that filters the list of values.
create or replace function app.project_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into item_ids from changed c;
  else
    select pg_catalog.array_agg(m.id) into item_ids from ( -- no join: app.bump_data_version() says why
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
