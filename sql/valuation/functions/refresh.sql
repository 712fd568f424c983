-- The monthly tick of depreciation: values anew every item whose value time alone has changed, in all studios, and
-- moves updated_at of those that show a new value. Returns their number. With rebuild_missing also makes the
-- projections that are missing. One at a time: while another session refreshes, it does nothing and returns 0.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio uuid;
  due uuid[];
  total bigint := 0;
begin
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('valuation.refresh')) then
    return 0;
  end if;

  for studio in select s.id from app.studios s order by s.id loop
    perform access.enter_studio(studio);

    select pg_catalog.array_agg(d.item_id) into due from (
      select v.item_id from app.item_valuations v
      where v.studio_id = studio and v.revalue_on <= access.current_studio_today()
      union
      select i.id from app.items i
      where rebuild_missing and i.studio_id = studio and not exists (
        select from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id)
    ) as d;
    continue when due is null;

    total := total + valuation.revalue(due);
  end loop;

  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values anew every item whose value time alone has changed; returns how many moved.';
