-- Trigger: an item without a projection has no coverage state. Moves its updated_at.
create or replace function app.clear_coverage() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.items i set coverage_state = null, updated_at = i.updated_at + interval '1 millisecond'
  from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  return null;
end
$$;

comment on function app.clear_coverage() is 'Trigger of app.item_valuations: an item without projection has no coverage state.';
