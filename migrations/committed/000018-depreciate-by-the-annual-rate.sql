--! Previous: sha1:de94ef7c20ca1db99c34c349b12ff593dc15f372
--! Hash: sha1:395aac70a142abc4d20a1ef5000ea8cb933d90ef
--! Message: depreciate by the annual rate

-- The declining methods of depreciation take off an annual rate, as in the books; a studio may name the first month of
-- its financial year. The next migration has existing values computed anew.
set local role studio_owner;

alter table app.studios add column financial_year_start_month smallint
  constraint studios_financial_year_start_month_check check (financial_year_start_month between 1 and 12);

drop function valuation.assess(app.items, app.categories, date);
drop function valuation.depreciated_value(text, numeric, integer, integer, numeric);
--! Included valuation/functions/depreciated_value.sql
-- The depreciated value of an item, half-up to cents; null when it is not computable: method none, no purchase price,
-- no acquisition date. It starts at the purchase price and never falls below the residual value.
--   straight_line              loses the same amount every month of the useful life
--   declining_balance          loses 150 % / useful life in years, every year, of its value at the year's beginning
--   double_declining_balance   the same with 200 %
-- A year's loss is spread evenly over its months. It is at most what is left above the residual value, and in the year in
-- which the useful life ends all of that: at the end of its life an item has its residual value by every method. A rate
-- above 100 % (a life below two years, by 150 % below one and a half) is 100 %.
-- Years are those of the asset, from its acquisition; or financial years: then the first has first_year_months months
-- (1 to 12) and loses as many twelfths. Nothing is rounded on the way: of forty decimals twenty count, so that what is half
-- a cent exactly is rounded up although rates are periodic fractions.
-- purchase_price and residual_value are money, useful_life_months whole months, months the age in whole months.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciated_value(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric,
  first_year_months integer
) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  floor_value numeric := least(residual_value, purchase_price);
  age integer := least(greatest(months, 0), useful_life_months);
  annual_rate numeric(42, 40);
  years integer; -- that are over
  began integer; -- the month in which the year began
  year_months integer;
  opening numeric; -- the value at the year's beginning
  charge numeric; -- what the year takes off
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  elsif method = 'straight_line' then
    return round(purchase_price - (purchase_price - floor_value) * age / useful_life_months, 2);
  elsif age = useful_life_months then
    return round(floor_value, 2);
  end if;

  annual_rate := least((case method when 'declining_balance' then 18 else 24 end)::numeric(42, 40) / useful_life_months, 1);
  if age < first_year_months then
    years := 0;
    began := 0;
    year_months := first_year_months;
    opening := purchase_price;
  else
    years := 1 + (age - first_year_months) / 12;
    began := first_year_months + 12 * (years - 1);
    year_months := 12;
    opening := greatest(
      purchase_price * (1 - annual_rate * first_year_months / 12) * power(1 - annual_rate, years - 1), floor_value);
  end if;
  charge := opening - floor_value;
  if useful_life_months - began > year_months then
    charge := least(charge, opening * annual_rate * year_months / 12);
  end if;
  return round(
    round(opening - charge * (age - began) / least(year_months, useful_life_months - began), 20), 2);
end
$$;

comment on function valuation.depreciated_value(text, numeric, integer, integer, numeric, integer) is
  'The depreciated value of an item, half-up to cents; null when it is not computable.';
--! EndIncluded valuation/functions/depreciated_value.sql
--! Included valuation/functions/assess.sql
-- Applies the rules of valuation to one item as of a day: depreciation, value source, coverage state and gap (estimated
-- minus insured value; negative when more is declared than the item is worth). Useful life and residual value come from
-- the item, else from its category. Never raises for a stored item.
-- financial_year_start_month (1 to 12) is the first month of the studio's financial year; null when it names none. With
-- it, months count as they do in the books: from the first of the month of acquisition, which counts as a whole one.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.assess(
  item app.items, category app.categories, as_of date, financial_year_start_month integer
)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  result valuation.assessment;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  since date := item.acquisition_date;
  first_year_months integer := 12;
  months integer;
  depreciated numeric;
begin
  if item.depreciation_method <> 'none' then
    if financial_year_start_month is not null then
      since := item.acquisition_date - (extract(day from item.acquisition_date)::integer - 1);
      -- From the month of acquisition to the last of that financial year.
      first_year_months := 12 - (extract(month from since)::integer - financial_year_start_month + 12) % 12;
    end if;
    months := valuation.whole_months(since, as_of);
    depreciated := valuation.depreciated_value(
      item.depreciation_method, item.purchase_price, months, life, residual, first_year_months);
  end if;

  result.value_source := valuation.value_source(
    item.market_value, item.manual_value, depreciated, item.purchase_price, item.replacement_cost);
  result.current_estimated_value := case result.value_source
    when 'market' then item.market_value
    when 'manual' then item.manual_value
    when 'depreciated' then depreciated
    when 'purchase_price' then item.purchase_price
    when 'replacement_cost' then item.replacement_cost
  end;
  result.coverage_state := valuation.coverage_state(result.current_estimated_value, item.reported_insured_value);
  result.gap_amount := result.current_estimated_value - item.reported_insured_value;

  -- The value has more to lose: it changes with the next whole month.
  if result.value_source = 'depreciated' and depreciated > least(residual, item.purchase_price)
     and months < life then
    result.revalue_on := (since + pg_catalog.make_interval(months => greatest(months, 0) + 1))::date;
  end if;
  return result;
end
$$;

comment on function valuation.assess(app.items, app.categories, date, integer) is
  'Applies the rules of valuation to one item as of a day.';
--! EndIncluded valuation/functions/assess.sql
--! Included valuation/functions/project.sql
-- Writes the projection of items of the session's studio, as of today; rows that would not change are left alone.
-- Returns the ids of the items whose shown valuation moved.
create or replace function valuation.project(item_ids uuid[]) returns setof uuid
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- one plan for one item and for many; planning costs more than the work
as $$
#variable_conflict use_column
begin
  return query
  with assessed as materialized (
    select i.studio_id, i.id as item_id, a.*, (
      -- A look-up by key, whatever the planner thinks of the number of items.
      select v from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id
    ) as held
    from app.items i
    join app.categories c on c.name = i.category
    cross join lateral valuation.assess(
      i, c, (select access.current_studio_today()),
      (select s.financial_year_start_month from app.studios s where s.id = (select access.current_studio_id()))
    ) as a
    where i.studio_id = (select access.current_studio_id()) and i.id = any (item_ids)
  ), moved as (
    select a.item_id
    from assessed a
    where (a.held).item_id is null
       or ((a.held).current_estimated_value, (a.held).value_source, (a.held).coverage_state, (a.held).gap_amount)
          is distinct from (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount)
  ), written as (
    insert into app.item_valuations as v
      (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount, revalue_on)
    select a.studio_id, a.item_id, a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.revalue_on
    from assessed a
    on conflict (studio_id, item_id) do update set
      current_estimated_value = excluded.current_estimated_value, value_source = excluded.value_source,
      coverage_state = excluded.coverage_state, gap_amount = excluded.gap_amount, revalue_on = excluded.revalue_on
    where (v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount, v.revalue_on)
      is distinct from (excluded.current_estimated_value, excluded.value_source, excluded.coverage_state,
        excluded.gap_amount, excluded.revalue_on)
  )
  select m.item_id from moved m;
end
$$;

comment on function valuation.project(uuid[]) is
  'Writes the projection of items of the session''s studio and returns those whose valuation moved.';
--! EndIncluded valuation/functions/project.sql
--! Included valuation/functions/revalue.sql
-- Values items of the session's studio anew, as of today, and moves updated_at of those that show a new value. Returns
-- their number. It waits for writers of these items, so that what it projects is what they wrote.
create or replace function valuation.revalue(item_ids uuid[]) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  moved uuid[];
begin
  perform from app.items i where i.studio_id = studio and i.id = any (item_ids) order by i.id for no key update;
  select pg_catalog.array_agg(p) into moved from valuation.project(item_ids) as p;

  update app.items i
  set coverage_state = v.coverage_state, updated_at = i.updated_at + interval '1 millisecond'
  from app.item_valuations v
  where i.studio_id = studio and i.id = any (moved) and v.studio_id = i.studio_id and v.item_id = i.id;
  return coalesce(pg_catalog.cardinality(moved), 0);
end
$$;

comment on function valuation.revalue(uuid[]) is
  'Values items of the session''s studio anew and moves those that show a new value; returns their number.';
--! EndIncluded valuation/functions/revalue.sql
--! Included valuation/functions/refresh.sql
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
--! EndIncluded valuation/functions/refresh.sql
--! Included app/functions/prepare_item.sql
-- Trigger: stores the canonical spelling of the category and refuses what is no category; judges the coverage state
-- anew when something changed that the valuation depends on. Raises 23514 naming the category.
-- spec: "Stored values are canonical-cased …. Off-vocabulary values are rejected at write, not stored."
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
--! EndIncluded app/functions/prepare_item.sql
--! Included access/functions/set_financial_year.sql
-- Names the month in which a studio's financial year begins (1 to 12), by which depreciation then goes; null for none:
-- by the years of each item. Values the studio's items anew and returns how many show a new value.
-- It waits for writers of the studio's items and for new ones, which wait for it. Raises SI404 when there is no such
-- studio, 22023 for another month.
create or replace function access.set_financial_year(studio_id uuid, start_month integer) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  depreciating uuid[];
  moved integer;
begin
  if start_month not between 1 and 12 then
    raise exception '% is no month', start_month using errcode = '22023', hint = 'Use 1 for January to 12 for December.';
  end if;
  -- The strongest lock of a row: whoever inserts an item holds a weaker one of its studio.
  perform from app.studios s where s.id = set_financial_year.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  update app.studios s set financial_year_start_month = start_month
  where s.id = set_financial_year.studio_id and s.financial_year_start_month is distinct from start_month;
  if not found then
    return 0;
  end if;

  perform access.enter_studio(set_financial_year.studio_id);
  select pg_catalog.array_agg(i.id) into depreciating
  from app.items i
  where i.studio_id = set_financial_year.studio_id
    and i.depreciation_method <> 'none' and i.acquisition_date is not null;
  moved := valuation.revalue(depreciating);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return moved;
end
$$;

comment on function access.set_financial_year(uuid, integer) is
  'Names the first month of a studio''s financial year, null for none; returns how many items show a new value.';
--! EndIncluded access/functions/set_financial_year.sql

reset role;

--! Included grants/database.sql
-- What everybody could do in a new database and nobody needs here. Run as the administrator; where that is no
-- superuser, the catalog's own functions and languages stay as they are and the audit says so.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to studio_owner, studio_api, studio_recorder, studio_writer, '
    'studio_console, studio_graphql, studio_analyst, studio_auditor', current_database());
  -- For app.open_import. Nobody who can log in has it; the function says why.
  execute format('grant temporary on database %I to studio_owner', current_database());
end
$$;

-- The owner reads which migrations have run (access.schema_version).
grant usage on schema graphile_migrate to studio_owner;
grant select on graphile_migrate.migrations to studio_owner;

do $$
declare
  f record;
begin
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    raise warning 'not a superuser: languages and catalog functions stay open to everybody';
    return;
  end if;

  revoke usage on language plpgsql, sql from public;
  grant usage on language plpgsql, sql to studio_owner;

  for f in
    select c.signature, c.observes
    from audit.closed_functions c
    join pg_catalog.pg_proc p on p.oid = c.function
    where p.proacl is null or exists (
      select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')
  loop
    execute format('revoke execute on function %s from public', f.signature);
    if f.observes then
      execute format('grant execute on function %s to pg_read_all_stats', f.signature);
    end if;
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
