-- Closes the oldest open month of a studio: stores each item's value at its end, for good.
-- Each call writes at most at_most items, to keep transactions short; call until due is false.
-- The month shows as closed after its last item. Skips a studio that another session is closing.
--   studio_hash   from valuation.next_to_close()
--   due           whether the studio had a month to close
--   closed        number of items written
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
  batch uuid[];
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
    batch := array(
      select (v.item).id from valuation.inventory(last_day) as v
      where (v.item).id > coalesce(
        (select c.item_id from app.closed_values c where c.studio_id = this_studio and c.month_end = last_day
         order by c.item_id desc limit 1), '00000000-0000-0000-0000-000000000000')
      order by (v.item).id
      limit at_most);
    closed := pg_catalog.cardinality(batch);
    perform valuation.close_items(last_day, batch);
    if closed < at_most then
      insert into app.closings (studio_id, month_end, items, estimated_value, reported_insured_value)
      select this_studio, last_day, count(*), coalesce(sum(c.current_estimated_value), 0),
        coalesce(sum(c.reported_insured_value), 0)
      from app.closed_values c where c.studio_id = this_studio and c.month_end = last_day;
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.close_month(integer, integer) is
  'Closes the first month that the studio of a studio_hash has to close; returns whether there was one, and the items written.';
