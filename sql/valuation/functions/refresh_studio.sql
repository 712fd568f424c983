-- Revalues the items of one studio that are due, at most at_most, to keep transactions short; call
-- it until it values none. Skips items that somebody is writing to, and a studio that another
-- session refreshes.
create or replace function valuation.refresh_studio(
  studio_id uuid, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  due uuid[];
begin
  valued := 0;
  moved := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('valuation.refresh ' || refresh_studio.studio_id, 0)) then
    return;
  end if;
  perform access.enter_studio(refresh_studio.studio_id);
  select pg_catalog.array_agg(free.id) into due from (
    select i.id from app.items i
    where i.studio_id = refresh_studio.studio_id
      and i.id = any (array(select valuation.due_items(rebuild_missing, at_most)))
    order by i.id for no key update skip locked) as free;
  if due is not null then
    valued := pg_catalog.cardinality(due);
    moved := valuation.revalue(due);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.refresh_studio(uuid, boolean, integer) is
  'Values again what is due in one studio; returns how many items, and how many of them show a new value.';
