-- Trigger: copies the market value to the item for its valuation, and the date for the list.
create or replace function app.copy_market_values() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    update app.items i set market_value = null, market_value_as_of = null
    from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  else
    update app.items i set market_value = c.value, market_value_as_of = c.as_of
    from changed c
    where i.studio_id = c.studio_id and i.id = c.item_id
      and (i.market_value, i.market_value_as_of) is distinct from (c.value, c.as_of);
  end if;
  return null;
end
$$;

comment on function app.copy_market_values() is 'Trigger of app.market_values: copies value and date to the item.';
