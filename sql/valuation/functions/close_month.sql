-- Closes the oldest open month of a studio: stores each item's value at its end, for good.
-- Each call looks at most at at_most items, to keep transactions short; call until due is false.
-- The month shows as closed after its last item. Skips a studio that another session is closing.
--   studio_hash   from valuation.next_to_close()
--   due           whether the studio had a month to close
--   closed        number of items in the inventory that it looked at
create or replace function valuation.close_month(
  studio_hash integer, at_most integer default 1000, out due boolean, out closed integer
)
language plpgsql volatile security definer
set search_path = ''
set enable_sort = off -- With this setting it reads a batch by the index, even without statistics.
set enable_bitmapscan = off
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  this_studio uuid := (select s.id from app.studios s where s.studio_hash = close_month.studio_hash);
  last_day date;
  after uuid;
  batch uuid[];
  sums record;
begin
  due := false;
  closed := 0;
  if this_studio is null
     or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('valuation.close ' || this_studio, 0)) then
    return;
  end if;
  perform access.enter_studio(this_studio);
  last_day := valuation.month_to_close();
  if last_day is not null then
    due := true;
    after := coalesce(
      (select u.item_id from app.closings_under_way u where u.studio_id = this_studio and u.month_end = last_day),
      '00000000-0000-0000-0000-000000000000');
    batch := array(
      (select (v.item).id from valuation.inventory(last_day) as v where (v.item).id > after
       order by (v.item).id limit at_most)
      union
      -- Those that were in the inventory before: they may have left it.
      (select c.item_id from app.closed_values c where c.studio_id = this_studio and c.is_first and c.item_id > after
       order by c.item_id limit at_most)
      order by 1 limit at_most);
    select * into sums from valuation.close_items(last_day, batch);
    closed := sums.items;
    insert into app.closings_under_way as u (studio_id, month_end, item_id, items, estimated_value, reported_insured_value)
    values (this_studio, last_day, coalesce(batch[pg_catalog.cardinality(batch)], after), sums.items,
      sums.estimated_value, sums.reported_insured_value)
    on conflict (studio_id) do update set item_id = excluded.item_id, items = u.items + excluded.items,
      estimated_value = u.estimated_value + excluded.estimated_value,
      reported_insured_value = u.reported_insured_value + excluded.reported_insured_value;
    if pg_catalog.cardinality(batch) < at_most then
      with complete as (
        delete from app.closings_under_way u where u.studio_id = this_studio returning u.*
      )
      insert into app.closings (studio_id, month_end, items, estimated_value, reported_insured_value)
      select u.studio_id, u.month_end, u.items, u.estimated_value, u.reported_insured_value from complete u;
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.close_month(integer, integer) is
  'Closes the first month that the studio of a studio_hash has to close; returns whether there was one, and the items closed.';
