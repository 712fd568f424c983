-- Trigger of app.depreciation_changes: an item carries its changes, in the order of their days, so
-- that its valuation needs nothing else. Raises 23514 for a change that takes effect after today.
create or replace function app.copy_depreciation_changes() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'DELETE' then
    item_ids := array(select b.item_id from before b);
  else
    item_ids := array(select c.item_id from changed c);
    if exists (select from changed c where c.effective_on > access.current_studio_today()) then
      raise exception 'a change takes effect today or earlier'
        using errcode = '23514', schema = 'app', table = 'depreciation_changes', column = 'effective_on';
    end if;
  end if;
  if tg_op = 'UPDATE' then
    item_ids := item_ids || array(select b.item_id from before b);
  end if;
  update app.items i set depreciation_changes = (
    select pg_catalog.array_agg((c.effective_on, c.depreciation_method, c.useful_life_months, c.residual_value, c.depreciation_rate,
      c.switches_to_straight_line)::valuation.change order by c.effective_on)
    from app.depreciation_changes c where c.studio_id = i.studio_id and c.item_id = i.id)
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.copy_depreciation_changes() is 'Trigger of app.depreciation_changes: copies them to their items.';
