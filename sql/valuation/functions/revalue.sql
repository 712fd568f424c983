-- Revalues items of the session's studio as of today, after their writers. Returns the number of
-- valuations that changed and moves their updated_at, not the items'.
create or replace function valuation.revalue(item_ids uuid[]) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  moved uuid[];
begin
  perform from app.items i where i.studio_id = studio and i.id = any (item_ids) order by i.id for no key update;
  select pg_catalog.array_agg(p) into moved from valuation.project(item_ids) as p;

  update app.items i set coverage_state = v.coverage_state
  from app.item_valuations v
  where i.studio_id = studio and i.id = any (moved) and v.studio_id = i.studio_id and v.item_id = i.id
    and i.coverage_state is distinct from v.coverage_state;
  return coalesce(pg_catalog.cardinality(moved), 0);
end
$$;

comment on function valuation.revalue(uuid[]) is
  'Values items of the session''s studio again and moves the valuations that change; returns their number.';
