-- Trigger: when a projection was deleted, its item loses its coverage state and gets an empty
-- projection. The list of values then shows nulls for it, as a change.
create or replace function app.clear_coverage() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.items i set coverage_state = null
  from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  insert into app.item_valuations
    (studio_id, item_id, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
  select i.studio_id, i.id, i.replacement_cost, i.purchase_price, i.reported_insured_value, i.category, i.location_id,
    i.archived_at is not null
  from before b join app.items i on i.studio_id = b.studio_id and i.id = b.item_id;
  return null;
end
$$;

comment on function app.clear_coverage() is 'Trigger of app.item_valuations: a deleted projection becomes an empty one.';
