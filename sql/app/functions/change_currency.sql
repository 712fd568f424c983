-- Trigger of app.studios: the amounts of a studio stay the same numbers in another currency. If
-- that currency has another number of decimals, they all show other decimals (12000.00 becomes
-- 12000). So each record moves its updated_at, and values are rounded to these decimals. Closed
-- months stay. The function locks tables in the order in which writers lock them: first what items
-- copy, then items, then what copies items.
create or replace function app.change_currency() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  places integer := new.minor_units;
begin
  if places = old.minor_units then
    return null;
  end if;
  perform access.enter_studio(new.id);
  update app.market_values m set value = m.value where m.studio_id = new.id;
  update app.depreciation_changes c set residual_value = c.residual_value where c.studio_id = new.id;
  update app.policy_assignments a set declared_value = a.declared_value where a.studio_id = new.id;
  update app.policies p set deductible = p.deductible, updated_at = p.updated_at + interval '1 millisecond'
  where p.studio_id = new.id;
  update app.items i set purchase_price = i.purchase_price, market_value = round(i.market_value, places),
    updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = new.id;
  update app.maintenance_records m set cost = m.cost, updated_at = m.updated_at + interval '1 millisecond'
  where m.studio_id = new.id;
  perform valuation.revalue(array(select i.id from app.items i where i.studio_id = new.id));
  -- valuation.revalue() leaves alone what is the same number. This gives it the new decimals.
  update app.item_valuations v
  set current_estimated_value = round(v.current_estimated_value, places), gap_amount = round(v.gap_amount, places),
    book_value = round(v.book_value, places), replacement_cost = round(v.replacement_cost, places),
    purchase_price = round(v.purchase_price, places),
    reported_insured_value = round(v.reported_insured_value, places), updated_at = v.updated_at + interval '1 millisecond'
  where v.studio_id = new.id;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function app.change_currency() is 'Trigger of app.studios: amounts get the decimals of the new currency.';
