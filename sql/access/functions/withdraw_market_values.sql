-- Withdraws the market values of items from a day on (null: from today), so that other sources give
-- their value. Earlier days and closed months stay. Returns the number of withdrawn values. Raises
-- 22023 for a day after today.
create or replace function access.withdraw_market_values(studio_id uuid, item_ids uuid[], since date default null)
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  withdrawn uuid[];
begin
  perform access.enter_studio(studio_id);
  if since > access.current_studio_today() then
    raise exception '% is after today', since using errcode = '22023', hint = 'Withdraw a market value when it has ended.';
  end if;
  with gone as (
    delete from app.market_values m
    where m.studio_id = withdraw_market_values.studio_id and m.item_id = any (item_ids) returning m.item_id
  ) select pg_catalog.array_agg(g.item_id) into withdrawn from gone g;
  -- The newest row of the history counts from its day on. The row for a deletion has today's date.
  if since < access.current_studio_today() then
    insert into app.market_value_history (studio_id, item_id, day)
    select withdraw_market_values.studio_id, w, since from pg_catalog.unnest(withdrawn) as w;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return coalesce(pg_catalog.cardinality(withdrawn), 0);
end
$$;

comment on function access.withdraw_market_values(uuid, uuid[], date) is
  'Withdraws the market values of items from a day on; returns how many.';
