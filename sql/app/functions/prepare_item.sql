-- Trigger: archives what was disposed of; stores the canonical spelling of the category and refuses
-- other categories; determines the coverage state when an input of the valuation changed. Raises
-- 23514 with the column.
-- spec: "Stored values are canonical-cased …. Off-vocabulary values are rejected at write, not
-- stored."
create or replace function app.prepare_item() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  category app.categories;
  studio app.studios;
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

  select c.* into category from app.categories c where pg_catalog.lower(c.name) = pg_catalog.lower(new.category);
  if not found then
    raise exception '% is no category', pg_catalog.quote_nullable(new.category)
      using errcode = '23514', schema = 'app', table = 'items', column = 'category',
        hint = 'Use one of: ' || (select pg_catalog.string_agg(c.name, '; ' order by c.position) from app.categories c);
  end if;
  new.category := category.name;
  select s.* into studio from app.studios s where s.id = new.studio_id;
  new.coverage_state := (valuation.assess(new, category, studio, access.studio_today(new.studio_id))).coverage_state;
  return new;
end
$$;

comment on function app.prepare_item() is 'Trigger of app.items: disposal, canonical category, coverage state.';
