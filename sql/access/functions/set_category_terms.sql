-- Sets how a studio depreciates the items of a category by a declining method; an item's own rate
-- and switch take precedence. Revalues the items and returns how many valuations changed.
--   rate       percent a year; null: 150 or 200 % / useful life in years
--   switches   yes, no or floor, as items have it; null: no
--   done_by    the owner or admin named in the audit log; null: the studio's first owner
-- Locks the studio's items against writers.
-- Raises SI404 for an unknown studio, 22023 for an unknown category or switch or a rate out of
-- range, and what access.may_manage() raises.
create or replace function access.set_category_terms(
  studio_id uuid, category text, rate numeric default null, switches text default null, done_by uuid default null
) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  known text := (select c.name from app.categories c where pg_catalog.lower(c.name) = pg_catalog.lower(category));
  terms valuation.category_terms[];
  moved integer;
  former valuation.category_terms;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  if known is null then
    raise exception '% is no category', pg_catalog.quote_nullable(category) using errcode = '22023',
      hint = 'Use one of: ' || (select pg_catalog.string_agg(c.name, '; ' order by c.position) from app.categories c);
  end if;
  if not (rate > 0 and rate <= 100) then
    raise exception '% is no rate', rate using errcode = '22023', hint = 'Use percent a year, above 0 and up to 100.';
  end if;
  if switches not in ('yes', 'no', 'floor') then
    raise exception '% is no switch', pg_catalog.quote_literal(switches) using errcode = '22023', hint = 'Use yes, no or floor.';
  end if;
  perform access.may_manage(studio_id, person, false);
  -- The strongest row lock: transactions that insert items hold a weaker one on the studio.
  select s.category_terms into terms from app.studios s where s.id = studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  select t.* into former from pg_catalog.unnest(terms) as t where t.category = known;
  terms := array(
    select t from pg_catalog.unnest(terms) as t where t.category <> known
    union all
    select (known, rate::numeric(6,3), switches)::valuation.category_terms where num_nonnulls(rate, switches) > 0);
  update app.studios s set category_terms = nullif(terms, '{}') where s.id = studio_id;
  if (former.depreciation_rate, coalesce(former.switches_to_straight_line, 'no'))
    is distinct from (rate::numeric(6,3), coalesce(switches, 'no')) then
    insert into access.audit_log (studio_id, event, actor_user_id, detail)
    values (studio_id, 'studio.category_changed', person, pg_catalog.format('%s: %s → %s', known,
      access.terms_in_words(former.depreciation_rate, former.switches_to_straight_line),
      access.terms_in_words(rate, switches)));
  end if;

  perform access.enter_studio(studio_id);
  moved := valuation.revalue(array(
    select i.id from app.items i
    where i.studio_id = studio_id and i.category = known and i.acquisition_date is not null));
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return moved;
end
$$;

comment on function access.set_category_terms(uuid, text, numeric, text, uuid) is
  'Chooses rate and switch of a category in a studio; returns how many items show a new value.';
