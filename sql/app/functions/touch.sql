-- Trigger: updated_at strictly increases with every change of the row, and stays when nothing
-- changes, or only what no list shows of it: the coverage state of an item (its valuation moves), the
-- day on which an item is valued again, and the valuation's copy of the replacement cost.
-- spec: "incremental sync with updated_since".
create or replace function app.touch() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- PostgreSQL computes generated columns later, so they would look changed.
  new.studio_hash := old.studio_hash;
  if tg_relid = 'app.items'::regclass then
    old.coverage_state := new.coverage_state;
  elsif tg_relid = 'app.item_valuations'::regclass then
    old.revalue_on := new.revalue_on;
    old.replacement_cost := new.replacement_cost;
  end if;
  if new is distinct from old then
    new.updated_at := greatest(app.stamp(), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
