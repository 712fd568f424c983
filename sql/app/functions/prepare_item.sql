-- Trigger: stores the canonical spelling of the category and refuses other categories; determines
-- the coverage state when an input of the valuation changed. Raises 23514 with the category.
-- spec: "Stored values are canonical-cased …. Off-vocabulary values are rejected at write, not
-- stored."
create or replace function app.prepare_item() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  category app.categories;
begin
  if tg_op = 'UPDATE' and valuation.same_inputs(old, new) then
    return new;
  end if;

  select c.* into category from app.categories c where pg_catalog.lower(c.name) = pg_catalog.lower(new.category);
  if not found then
    raise exception '% is no category', pg_catalog.quote_nullable(new.category)
      using errcode = '23514', schema = 'app', table = 'items', column = 'category',
        hint = 'Use one of: ' || (select pg_catalog.string_agg(c.name, '; ' order by c.position) from app.categories c);
  end if;
  new.category := category.name;
  new.coverage_state := (valuation.assess(
    new, category, access.studio_today(new.studio_id),
    (select s.financial_year_start_month from app.studios s where s.id = new.studio_id)
  )).coverage_state;
  return new;
end
$$;

comment on function app.prepare_item() is 'Trigger of app.items: canonical category, coverage state.';
