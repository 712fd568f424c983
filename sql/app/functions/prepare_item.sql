-- Trigger: archives an item that was disposed of. Stores the canonical spelling of the category and
-- refuses other categories. Determines the coverage state when an input of the valuation has
-- changed. Rounds the amounts of a new item as app.settle_amounts() does, which would have to look
-- up the studio once more. Raises 23514 with the column.
-- spec: "Stored values are canonical-cased …. Off-vocabulary values are rejected at write, not
-- stored."
create or replace function app.prepare_item() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  given text := new.category;
  terms record;
begin
  if new.disposed_on is not null and (tg_op = 'INSERT' or new.disposed_on is distinct from old.disposed_on) then
    if new.disposed_on > access.studio_today(new.studio_id) then
      raise exception '% is after today: an item is disposed of when it is gone', new.disposed_on
        using errcode = '23514', schema = 'app', table = 'items', column = 'disposed_on';
    end if;
    new.archived_at := coalesce(new.archived_at, pg_catalog.date_trunc('milliseconds', access.clock()));
  end if;
  if tg_op = 'UPDATE' and valuation.same_inputs(old, new) then
    return new;
  end if;

  select c as category, s as studio, s.timezone, s.minor_units as places into terms
  from app.studios s left join app.categories c on c.name = new.category where s.id = new.studio_id;
  if tg_op = 'INSERT' then -- app.hold_currency() has already locked the currency
    new.purchase_price := round(new.purchase_price, terms.places);
    new.residual_value := round(new.residual_value, terms.places);
    new.manual_value := round(new.manual_value, terms.places);
    new.replacement_cost := round(new.replacement_cost, terms.places);
    new.reported_insured_value := round(new.reported_insured_value, terms.places);
    new.disposal_proceeds := round(new.disposal_proceeds, terms.places);
  end if;
  if terms.category is null then
    select c, c.name into terms.category, new.category from app.categories c
    where pg_catalog.lower(c.name) = pg_catalog.lower(given);
    if not found then
      raise exception '% is no category', pg_catalog.quote_nullable(given)
        using errcode = '23514', schema = 'app', table = 'items', column = 'category',
          hint = 'Use one of: ' || (select pg_catalog.string_agg(c.name, '; ' order by c.position) from app.categories c);
    end if;
  end if;
  new.coverage_state := (valuation.assess(
    new, terms.category, terms.studio, (access.clock() at time zone terms.timezone)::date)).coverage_state;
  return new;
end
$$;

comment on function app.prepare_item() is 'Trigger of app.items: disposal, canonical category, amounts, coverage state.';
