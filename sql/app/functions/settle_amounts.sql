-- Trigger of the tables in which a studio records amounts: rounds them half-up to the minor units
-- of its currency (12000 yen, 12000.00 euros, 12000.000 dinars), so that every reader shows them
-- with that many decimals. An insert locks the currency (app.change_currency()). An update needs no
-- lock, because that function updates every row. app.prepare_item() rounds those of a new item.
create or replace function app.settle_amounts() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  places integer;
begin
  if tg_op = 'INSERT' then
    select s.minor_units into places from app.studios s where s.id = new.studio_id for key share;
  else
    select s.minor_units into places from app.studios s where s.id = new.studio_id;
  end if;
  if tg_relid = 'app.items'::regclass then
    new.purchase_price := round(new.purchase_price, places);
    new.residual_value := round(new.residual_value, places);
    new.manual_value := round(new.manual_value, places);
    new.replacement_cost := round(new.replacement_cost, places);
    new.reported_insured_value := round(new.reported_insured_value, places);
    new.disposal_proceeds := round(new.disposal_proceeds, places);
  elsif tg_relid = 'app.market_values'::regclass then
    new.value := round(new.value, places);
  elsif tg_relid = 'app.depreciation_changes'::regclass then
    new.residual_value := round(new.residual_value, places);
  elsif tg_relid = 'app.maintenance_records'::regclass then
    new.cost := round(new.cost, places);
  elsif tg_relid = 'app.policies'::regclass then
    new.overall_limit := round(new.overall_limit, places);
    new.deductible := round(new.deductible, places);
  else
    new.declared_value := round(new.declared_value, places);
  end if;
  return new;
end
$$;

comment on function app.settle_amounts() is 'Trigger: amounts have the minor units of the studio''s currency.';
