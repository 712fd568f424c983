-- Previews a withdrawal of market values, for items named by external key or id: the value of each
-- today, and without its market value. item_id is null for a name that no item has, market_value
-- for an item without one.
create or replace function access.withdrawable_market_values(studio_id uuid, named text[])
returns table (
  name_given text, item_id uuid, name text, market_value numeric, as_of date, worth numeric, source text
)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
begin
  perform access.enter_studio(studio_id);
  return query
  select
    g.given, i.id, i.name, i.market_value::numeric, (i.market_value_as_of at time zone s.timezone)::date,
    b.current_estimated_value, b.value_source
  from pg_catalog.unnest(named) with ordinality as g (given, place)
  left join app.items i on i.studio_id = withdrawable_market_values.studio_id
    and (i.external_key = g.given or i.id::text = pg_catalog.lower(g.given))
  left join app.studios s on s.id = i.studio_id
  left join lateral valuation.value_item(
    i, (select c from app.categories c where c.name = i.category), s, null, access.current_studio_today()) as b on true
  order by g.place;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function access.withdrawable_market_values(uuid, text[]) is
  'What withdrawing the market values of items would change.';
