--! Previous: sha1:b9e17050b2824c129b8d70233d71f08270835502
--! Hash: sha1:f0261212f7806314c6584fff81b46f0a6666f966
--! Message: rules

--! Included all.sql
-- The manifest: everything that can be replaced, in the order in which it is installed. Running it again changes
-- nothing. Tables are state and stand in the migrations.

-- As the administrator
--! Included roles.sql
-- The roles of a studio inventory. They belong to the whole server and are shared by its databases, so they are
-- created only where they are missing. None is superuser, bypasses row-level security or is a member of another.
-- Run as the administrator.

do $$
declare
  missing record;
begin
  for missing in
    select r.name, r.attributes
    from (values
      ('studio_owner', 'nologin'),    -- owns every object
      ('studio_api', 'login'),        -- the REST pool: reads api_v1
      ('studio_recorder', 'login'),   -- records request activity and last use
      ('studio_writer', 'login'),     -- the app's and the importer's writes
      ('studio_console', 'login'),    -- the console's pool
      ('studio_graphql', 'login'),    -- the GraphQL pool
      ('studio_analyst', 'nologin'),  -- group: each analyst is a login of it
      ('studio_auditor', 'nologin')   -- group: reads the audit views
    ) as r (name, attributes)
    where not exists (select from pg_catalog.pg_roles where rolname = r.name)
  loop
    execute format('create role %I %s noinherit', missing.name, missing.attributes);
  end loop;

  -- An administrator that is not superuser becomes a member of the owner, to create and change its objects.
  if not pg_catalog.pg_has_role(current_user, 'studio_owner', 'usage') then
    execute format('grant studio_owner to %I', current_user);
  end if;
end
$$;

-- One plan per statement for all studios; nothing compiled; timestamps leave the server in UTC. Columns without statistics
-- leave the planner guessing: every list is made to be read in the order of its index, so it is not to sort instead.
alter role studio_api set plan_cache_mode = 'force_generic_plan';
alter role studio_api set enable_sort = off;
alter role studio_api set enable_bitmapscan = off;
alter role studio_api set jit = off;
alter role studio_api set timezone = 'UTC';
alter role studio_api set search_path = '';
alter role studio_api set default_transaction_read_only = on;
alter role studio_api set idle_in_transaction_session_timeout = '5s';
alter role studio_api set lock_timeout = '2s';

alter role studio_recorder set timezone = 'UTC';
alter role studio_recorder set search_path = '';
alter role studio_writer set timezone = 'UTC';
alter role studio_writer set jit = off;
alter role studio_console set timezone = 'UTC';
alter role studio_console set search_path = '';
alter role studio_graphql set timezone = 'UTC';
alter role studio_graphql set jit = off;
alter role studio_graphql set default_transaction_read_only = on;
--! EndIncluded roles.sql
--! Included schemas.sql
-- The schemas and who may name what is in them. Run as the administrator.

create schema if not exists app authorization studio_owner;
create schema if not exists access authorization studio_owner;
create schema if not exists valuation authorization studio_owner;
create schema if not exists api_v1 authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- What an outsider may do is granted by name in grants/; nothing is given to everybody.
revoke all on schema public from public;
alter default privileges for role studio_owner revoke execute on functions from public;

grant usage on schema api_v1 to studio_api, studio_graphql, studio_analyst;
grant usage on schema access to studio_api, studio_recorder;
grant usage on schema app to studio_writer;
grant usage on schema access to studio_writer;
grant usage on schema valuation to studio_writer;
grant usage on schema audit to studio_auditor;
--! EndIncluded schemas.sql

set local role studio_owner;

-- Who may come in, and as whom
--! Included access/functions/clock.sql
-- The clock that every rule about "now" and "today" reads. One place, so that tests can stop it.
create or replace function access.clock() returns timestamptz
language sql stable security invoker
return pg_catalog.now();

comment on function access.clock() is 'The moment at which rules about time are judged.';
--! EndIncluded access/functions/clock.sql
--! Included access/functions/current_studio_id.sql
-- The studio that this session may see; null when there is none. Every row-level-security policy compares with it.
--
-- Keyed on session_user, which no SET can change: the service's own pool logins are believed when they name a studio
-- in the setting studio.id, and so are administrators, who could become the owner anyway. Everybody else is an analyst,
-- whose studio stands in access.analyst_logins whatever the setting says. A setting that is missing, empty or no uuid
-- gives null (no rows), never an error.
-- spec: "A caller never sees another studio's data."
create or replace function access.current_studio_id() returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  setting text;
begin
  if session_user in ('studio_api', 'studio_writer', 'studio_console', 'studio_graphql')
     or pg_catalog.pg_has_role(session_user, 'studio_owner', 'member') then
    setting := pg_catalog.current_setting('studio.id', true);
    if setting ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then
      return setting::uuid;
    end if;
    return null;
  end if;
  return (select l.studio_id from access.analyst_logins l where l.login = session_user);
end
$$;

comment on function access.current_studio_id() is
  'The studio that this session may see, by its login; null when there is none.';
--! EndIncluded access/functions/current_studio_id.sql
--! Included access/functions/studio_today.sql
-- Today's date on a studio's own calendar (studios.timezone); null when there is no such studio.
-- spec: "A policy is active when … effective_start is today or earlier".
create or replace function access.studio_today(studio_id uuid) returns date
language sql stable security definer
set search_path = ''
return (select (access.clock() at time zone s.timezone)::date from app.studios s where s.id = studio_today.studio_id);

comment on function access.studio_today(uuid) is 'Today''s date in the time zone of a studio.';
--! EndIncluded access/functions/studio_today.sql
--! Included access/functions/current_studio_today.sql
-- Today's date on the calendar of the session's studio; null when the session has no studio.
create or replace function access.current_studio_today() returns date
language sql stable security definer
set search_path = ''
return access.studio_today(access.current_studio_id());

comment on function access.current_studio_today() is 'Today''s date in the time zone of the session''s studio.';
--! EndIncluded access/functions/current_studio_today.sql
--! Included access/functions/entitled_plan.sql
-- The plan that a subscription entitles to at this moment; null when it includes no API access.
-- A trial runs to trial_ends_at; a canceled or past-due subscription to the end of its paid period.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access".
create or replace function access.entitled_plan(subscription access.subscriptions) returns text
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  if subscription.status = 'active'
     or (subscription.status = 'trialing' and access.clock() < subscription.trial_ends_at)
     or (subscription.status in ('canceled', 'past_due') and access.clock() < subscription.current_period_end)
  then
    return subscription.plan;
  end if;
  return null;
end
$$;

comment on function access.entitled_plan(access.subscriptions) is
  'The plan a subscription entitles to now: pro, pro_insure or studio; null when it includes no API access.';
--! EndIncluded access/functions/entitled_plan.sql
--! Included access/functions/current_plan.sql
-- The plan that the session's studio is entitled to now; null when it has none, or the session has no studio.
create or replace function access.current_plan() returns text
language sql stable security definer
set search_path = ''
return (
  select access.entitled_plan(s)
  from access.subscriptions s
  where s.studio_id = access.current_studio_id()
);

comment on function access.current_plan() is 'The plan the session''s studio is entitled to: pro, pro_insure or studio.';
--! EndIncluded access/functions/current_plan.sql
--! Included access/functions/current_account.sql
-- The account of the session's studio: no row when the session has none. For the account view: the tables of studios
-- and subscriptions are granted to nobody. plan_tier is null when the plan includes no API access.
create or replace function access.current_account() returns table (
  name text, plan_tier text, is_trial boolean, trial_ends_at timestamptz,
  current_period_start timestamptz, current_period_end timestamptz, currency text, timezone text
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    studio.name, access.entitled_plan(s), coalesce(s.status = 'trialing', false), s.trial_ends_at,
    s.current_period_start, s.current_period_end, studio.currency, studio.timezone
  from app.studios studio
  left join access.subscriptions s on s.studio_id = studio.id
  where studio.id = access.current_studio_id();
end;

comment on function access.current_account() is 'The session''s studio with its plan and billing period.';
--! EndIncluded access/functions/current_account.sql
--! Included access/functions/answer.sql
-- What every operation of the API returns: one row.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   total       number of matching records (lists only)
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      total bigint,
      data text,
      photo_keys text[]
    );
  end if;
end
$$;

comment on type access.answer is 'What an operation of the API returns: status, token, plan, total, JSON text, photo keys.';
--! EndIncluded access/functions/answer.sql
--! Included access/functions/open_session.sql
-- Judges a token and opens its studio's session for the rest of the transaction: one look-up by the digest of the
-- whole token, the membership of its effective user and the plan, all at this moment. status 401: unknown or revoked,
-- or its effective user is no current member. 403: the plan includes no API access. 200: the session is open.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.open_session(token_digest bytea) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
  studio uuid;
begin
  select t.id, t.studio_id, access.entitled_plan(s)
  into answer.token_id, studio, answer.plan_tier
  from access.tokens t
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  if answer.token_id is null then
    answer.status := 401;
  elsif answer.plan_tier is null then
    answer.status := 403;
  else
    answer.status := 200;
    perform pg_catalog.set_config('studio.id', studio::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea) is
  'Judges a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/enter_studio.sql
-- Opens a studio's session for the rest of the transaction, for functions of the owner that work through studios.
create or replace function access.enter_studio(studio_id uuid) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform pg_catalog.set_config('studio.id', coalesce(studio_id::text, ''), true);
end
$$;

comment on function access.enter_studio(uuid) is 'Opens a studio''s session for the rest of the transaction.';
--! EndIncluded access/functions/enter_studio.sql
--! Included access/functions/schema_version.sql
-- The newest migration this database has, for example 000002.sql.
create or replace function access.schema_version() returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (select pg_catalog.max(m.filename) from graphile_migrate.migrations m);
end
$$;

comment on function access.schema_version() is 'The newest migration this database has.';
--! EndIncluded access/functions/schema_version.sql

-- The rules of valuation
--! Included valuation/functions/whole_months.sql
-- Whole calendar months from one day to another: the largest n with from_day + n months <= to_day, a month's last day
-- standing in where the day does not exist (31 January + 1 month is 28 or 29 February). Negative when to_day is earlier;
-- null when either day is.
create or replace function valuation.whole_months(from_day date, to_day date) returns integer
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  months integer :=
    (extract(year from to_day) - extract(year from from_day)) * 12
    + extract(month from to_day) - extract(month from from_day);
begin
  if (from_day + pg_catalog.make_interval(months => months))::date > to_day then
    months := months - 1;
  end if;
  return months;
end
$$;

comment on function valuation.whole_months(date, date) is 'Whole calendar months from one day to another.';
--! EndIncluded valuation/functions/whole_months.sql
--! Included valuation/functions/depreciated_value.sql
-- The depreciated value of an item, half-up to cents; null when it is not computable: method none, no purchase price,
-- no acquisition date. It starts at the purchase price and never falls below the residual value.
--   straight_line              loses the same amount every month of the useful life
--   declining_balance          loses 1.5 / useful life of what is left, every month (150 %)
--   double_declining_balance   loses 2 / useful life of what is left, every month
-- Forty decimals are kept on the way, of which twenty count: what is half a cent exactly is rounded up, although the
-- share that is kept every month is a periodic fraction.
-- purchase_price and residual_value are money, useful_life_months whole months, months the age in whole months.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciated_value(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric
) returns numeric
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  floor_value numeric := least(residual_value, purchase_price);
  age integer := greatest(months, 0);
  share_kept numeric;
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  elsif method = 'straight_line' then
    return round(purchase_price - (purchase_price - floor_value) * least(age, useful_life_months) / useful_life_months, 2);
  end if;
  share_kept := greatest(
    1 - (case method when 'declining_balance' then 1.5 else 2 end)::numeric(41, 40) / useful_life_months, 0);
  return round(round(greatest(purchase_price * power(share_kept, age), floor_value), 20), 2);
end
$$;

comment on function valuation.depreciated_value(text, numeric, integer, integer, numeric) is
  'The depreciated value of an item, half-up to cents; null when it is not computable.';
--! EndIncluded valuation/functions/depreciated_value.sql
--! Included valuation/functions/value_source.sql
-- Which value counts: the first available of market, manual, depreciated, purchase price (when paid at all) and
-- replacement cost; else unknown. 'agreed' does not occur in v1.
-- spec: value_source values.
create or replace function valuation.value_source(
  market_value numeric, manual_value numeric, depreciated_value numeric, purchase_price numeric, replacement_cost numeric
) returns text
language sql immutable security invoker
return case
  when market_value is not null then 'market'
  when manual_value is not null then 'manual'
  when depreciated_value is not null then 'depreciated'
  when purchase_price > 0 then 'purchase_price'
  when replacement_cost is not null then 'replacement_cost'
  else 'unknown'
end;

comment on function valuation.value_source(numeric, numeric, numeric, numeric, numeric) is
  'Which value counts: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
--! EndIncluded valuation/functions/value_source.sql
--! Included valuation/functions/coverage_state.sql
-- How the insured value declared for an item compares with its estimated value; null estimate = unknown.
-- It describes what is recorded and declared, not whether insurance would pay.
-- spec: coverage_state values.
create or replace function valuation.coverage_state(estimated_value numeric, insured_value numeric) returns text
language sql immutable security invoker
return case
  when estimated_value is null then 'value_unknown'
  when insured_value = 0 then 'uninsured'
  when insured_value < estimated_value then 'under_covered'
  else 'fully_covered'
end;

comment on function valuation.coverage_state(numeric, numeric) is
  'fully_covered, under_covered, uninsured or value_unknown, by estimated and insured value.';
--! EndIncluded valuation/functions/coverage_state.sql
--! Included valuation/functions/assessment.sql
-- What the rules of valuation say of one item. revalue_on is the day on which time alone changes it; null: never.
do $$
begin
  if pg_catalog.to_regtype('valuation.assessment') is null then
    create type valuation.assessment as (
      current_estimated_value numeric(14,2),
      value_source text,
      coverage_state text,
      gap_amount numeric(14,2),
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.assessment is 'What the rules of valuation say of one item.';
--! EndIncluded valuation/functions/assessment.sql
--! Included valuation/functions/assess.sql
-- Applies the rules of valuation to one item as of a day: depreciation, value source, coverage state and gap (estimated
-- minus insured value; negative when more is declared than the item is worth). Useful life and residual value come from
-- the item, else from its category. Never raises for a stored item.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.assess(item app.items, category app.categories, as_of date)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  result valuation.assessment;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  months integer;
  depreciated numeric;
begin
  if item.depreciation_method <> 'none' then
    months := valuation.whole_months(item.acquisition_date, as_of);
    depreciated := valuation.depreciated_value(item.depreciation_method, item.purchase_price, months, life, residual);
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
     and (item.depreciation_method <> 'straight_line' or months < life) then
    result.revalue_on := (item.acquisition_date + pg_catalog.make_interval(months => greatest(months, 0) + 1))::date;
  end if;
  return result;
end
$$;

comment on function valuation.assess(app.items, app.categories, date) is
  'Applies the rules of valuation to one item as of a day.';
--! EndIncluded valuation/functions/assess.sql
--! Included valuation/functions/same_inputs.sql
-- Whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return (
  before.category, before.purchase_price, before.acquisition_date, before.depreciation_method,
  before.useful_life_months, before.residual_value, before.manual_value, before.replacement_cost,
  before.reported_insured_value, before.market_value
) is not distinct from (
  after.category, after.purchase_price, after.acquisition_date, after.depreciation_method,
  after.useful_life_months, after.residual_value, after.manual_value, after.replacement_cost,
  after.reported_insured_value, after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
--! EndIncluded valuation/functions/same_inputs.sql
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
    cross join lateral valuation.assess(i, c, (select access.current_studio_today())) as a
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
--! Included valuation/functions/refresh.sql
-- The monthly tick of depreciation: values anew every item whose value time alone has changed, in all studios, and
-- moves updated_at of those that show a new value. Returns their number. With rebuild_missing also makes the
-- projections that are missing. One at a time: while another session refreshes, it does nothing and returns 0.
-- It waits for writers of the items that are due, so that what it projects is what they wrote.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio uuid;
  due uuid[];
  moved uuid[];
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

    perform from app.items i where i.studio_id = studio and i.id = any (due) order by i.id for no key update;
    select pg_catalog.array_agg(p) into moved from valuation.project(due) as p;

    update app.items i
    set coverage_state = v.coverage_state, updated_at = i.updated_at + interval '1 millisecond'
    from app.item_valuations v
    where i.studio_id = studio and i.id = any (moved) and v.studio_id = i.studio_id and v.item_id = i.id;
    total := total + coalesce(pg_catalog.cardinality(moved), 0);
  end loop;

  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values anew every item whose value time alone has changed; returns how many moved.';
--! EndIncluded valuation/functions/refresh.sql

-- What happens when a studio writes
--! Included app/functions/require_session.sql
-- Trigger: rows are written in the session of their own studio, whoever writes, and stay there. The policies bind every
-- role but a superuser; this binds that one too, because what the other triggers derive is written under row-level
-- security. Raises 42501.
create or replace function app.require_session() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if (tg_op <> 'INSERT' and old.studio_id is distinct from studio)
     or (tg_op <> 'DELETE' and new.studio_id is distinct from studio)
  then
    raise exception 'a row of % can be written only in the session of its studio', tg_relid::regclass
      using errcode = '42501',
        hint = 'In the same transaction, first: select set_config(''studio.id'', ''<the studio''''s id>'', true)';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

comment on function app.require_session() is 'Trigger: refuses a write outside the session of the row''s studio.';
--! EndIncluded app/functions/require_session.sql
--! Included app/functions/touch.sql
-- Trigger: updated_at strictly increases with every change of the row and stays when nothing changes.
-- spec: "incremental sync with updated_since".
create or replace function app.touch() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if new is distinct from old then
    new.updated_at := greatest(
      pg_catalog.clock_timestamp()::timestamptz(3), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
--! EndIncluded app/functions/touch.sql
--! Included app/functions/free_slot.sql
-- A slot of the studio's data version that no other open transaction uses: the first that can be locked; null when there
-- is none. The lock lasts to the end of the transaction, and with it the slot of the same number in the counters is this
-- transaction's alone. So writers of one studio neither wait for each other nor deadlock over a count, and there are
-- never many more slots than there were writers at once.
create or replace function app.free_slot(studio_id uuid) returns smallint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select d.slot from app.data_versions d
    where d.studio_id = free_slot.studio_id
    order by d.slot limit 1
    for update skip locked);
end
$$;

comment on function app.free_slot(uuid) is 'A slot of a studio''s counters that no other open transaction uses.';
--! EndIncluded app/functions/free_slot.sql
--! Included app/functions/add_data_version.sql
-- Moves the data version of some studios, each in a slot that no other open transaction uses.
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
begin
  foreach studio in array studios loop
    update app.data_versions d set version = d.version + 1
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      insert into app.data_versions as held (studio_id, slot, version)
      values (studio, pg_catalog.pg_backend_pid() % 32767, 1)
      on conflict (studio_id, slot) do update set version = held.version + 1;
    end if;
  end loop;
end
$$;

comment on function app.add_data_version(uuid[]) is 'Moves the data version of some studios.';
--! EndIncluded app/functions/add_data_version.sql
--! Included app/functions/bump_data_version.sql
-- Trigger: moves the data version of every studio of which this statement changed a row. The version is the sum of the
-- studio's slots (see app.free_slot()); it grows with every transaction that changes what the API may answer.
create or replace function app.bump_data_version() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studios uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct c.studio_id) into studios from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct b.studio_id) into studios from before b;
  else
    select pg_catalog.array_agg(distinct c.studio_id) into studios
    from changed c join before b on b.studio_id = c.studio_id and b.id = c.id
    where b.updated_at <> c.updated_at;
  end if;
  if studios is not null then
    perform app.add_data_version(studios);
  end if;
  return null;
end
$$;

comment on function app.bump_data_version() is 'Trigger: moves the data version of the studios whose rows changed.';
--! EndIncluded app/functions/bump_data_version.sql
--! Included app/functions/bump_own_data_version.sql
-- Trigger of tables with one row a studio (studios, subscriptions): moves the studio's data version. The argument names
-- the column that holds the studio's id.
create or replace function app.bump_own_data_version() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new is not distinct from old then
    return null;
  end if;
  perform app.add_data_version(array[(pg_catalog.to_jsonb(new) ->> tg_argv[0])::uuid]);
  return null;
end
$$;

comment on function app.bump_own_data_version() is 'Trigger: moves the data version of the row''s studio.';
--! EndIncluded app/functions/bump_own_data_version.sql
--! Included app/functions/check_studio.sql
-- Trigger: a studio's time zone is one that the server knows by name. Raises 22023.
create or replace function app.check_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.timezone <> old.timezone then
    if not exists (select from pg_catalog.pg_timezone_names z where z.name = new.timezone) then
      raise exception '% is no time zone', pg_catalog.quote_literal(new.timezone)
        using errcode = '22023', hint = 'Use an IANA name such as Europe/Berlin.';
    end if;
  end if;
  return new;
end
$$;

comment on function app.check_studio() is 'Trigger of app.studios: a known time zone.';
--! EndIncluded app/functions/check_studio.sql
--! Included app/functions/check_location.sql
-- Trigger: more than one location is a feature of the Studio plan, and the default location stays.
-- Raises SI402 (plan) and 23514.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.check_location() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    if old.is_default then
      raise exception 'a studio''s default location cannot be deleted' using errcode = '23514',
        hint = 'Make another location the default first.';
    end if;
    return old;
  end if;
  if access.current_plan() is distinct from 'studio'
     and exists (select from app.locations l where l.studio_id = new.studio_id and l.id <> new.id)
  then
    raise exception 'more than one location needs the Studio plan' using errcode = 'SI402';
  end if;
  return null;
end
$$;

comment on function app.check_location() is 'Trigger of app.locations: plan and default location.';
--! EndIncluded app/functions/check_location.sql
--! Included app/functions/require_default_location.sql
-- Constraint trigger, at the end of the transaction: a studio has a default location. The transaction may have gone on to
-- another studio's session by then. Raises 23514.
create or replace function app.require_default_location() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  last_studio text := pg_catalog.current_setting('studio.id', true);
begin
  perform access.enter_studio(old.studio_id);
  if not exists (select from app.locations l where l.studio_id = old.studio_id and l.is_default) then
    raise exception 'a studio needs one default location' using errcode = '23514',
      hint = 'Make another location the default in the same transaction.';
  end if;
  perform pg_catalog.set_config('studio.id', coalesce(last_studio, ''), true);
  return null;
end
$$;

comment on function app.require_default_location() is 'Constraint trigger of app.locations: one default location.';
--! EndIncluded app/functions/require_default_location.sql
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
  new.coverage_state := (valuation.assess(new, category, access.studio_today(new.studio_id))).coverage_state;
  return new;
end
$$;

comment on function app.prepare_item() is 'Trigger of app.items: canonical category, coverage state.';
--! EndIncluded app/functions/prepare_item.sql
--! Included app/functions/project_items.sql
-- Trigger: writes the projection of the items of this statement whose valuation inputs changed (all, when new).
create or replace function app.project_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into item_ids from changed c;
  else
    select pg_catalog.array_agg(c.id) into item_ids
    from changed c
    join before b on b.studio_id = c.studio_id and b.id = c.id
    where (b.category, b.purchase_price, b.acquisition_date, b.depreciation_method, b.useful_life_months,
           b.residual_value, b.manual_value, b.replacement_cost, b.reported_insured_value, b.market_value)
      is distinct from
          (c.category, c.purchase_price, c.acquisition_date, c.depreciation_method, c.useful_life_months,
           c.residual_value, c.manual_value, c.replacement_cost, c.reported_insured_value, c.market_value);
  end if;
  if item_ids is not null then
    perform valuation.project(item_ids);
  end if;
  return null;
end
$$;

comment on function app.project_items() is 'Trigger of app.items: writes the projection of changed items.';
--! EndIncluded app/functions/project_items.sql
--! Included app/functions/clear_coverage.sql
-- Trigger: an item whose projection is gone has no coverage state; its updated_at moves.
create or replace function app.clear_coverage() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.items i set coverage_state = null, updated_at = i.updated_at + interval '1 millisecond'
  from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  return null;
end
$$;

comment on function app.clear_coverage() is 'Trigger of app.item_valuations: an item without projection has no coverage state.';
--! EndIncluded app/functions/clear_coverage.sql
--! Included app/functions/count_items.sql
-- Trigger: keeps the number of live items per studio, category and coverage state ('*' is all; an item without a
-- coverage state counts in its category and in all), in the slot that the data version has moved in (see
-- app.free_slot()); a total is the sum of its slots.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  differences app.item_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select c.studio_id, c.category, coalesce(c.coverage_state, ''), 0::smallint, count(*)
      from changed c where c.archived_at is null group by 1, 2, 3
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select b.studio_id, b.category, coalesce(b.coverage_state, ''), 0::smallint, -count(*)
      from before b where b.archived_at is null group by 1, 2, 3
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select u.studio_id, u.category, coalesce(u.coverage_state, ''), 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
        union all
        select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
      ) as u
      group by 1, 2, 3 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.item_counts as held (studio_id, category, coverage_state, slot, items)
  select d.studio_id, coalesce(d.category, '*'), coalesce(d.coverage_state, '*'), own_slot, sum(d.items)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.category), (d.studio_id, d.coverage_state),
    (d.studio_id, d.category, d.coverage_state))
  having (grouping(d.coverage_state) = 1 or d.coverage_state <> '') and sum(d.items) <> 0
  order by 1, 2, 3
  on conflict (studio_id, category, coverage_state, slot) do update set items = held.items + excluded.items;
  return null;
end
$$;

comment on function app.count_items() is 'Trigger of app.items: keeps the numbers of live items.';
--! EndIncluded app/functions/count_items.sql
--! Included app/functions/copy_market_values.sql
-- Trigger: an item's market value counts in its valuation, and the list shows its date.
create or replace function app.copy_market_values() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    update app.items i set market_value = null, market_value_as_of = null
    from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  else
    update app.items i set market_value = c.value, market_value_as_of = c.as_of
    from changed c
    where i.studio_id = c.studio_id and i.id = c.item_id
      and (i.market_value, i.market_value_as_of) is distinct from (c.value, c.as_of);
  end if;
  return null;
end
$$;

comment on function app.copy_market_values() is 'Trigger of app.market_values: copies value and date to the item.';
--! EndIncluded app/functions/copy_market_values.sql
--! Included app/functions/touch_photographed_items.sql
-- Trigger: an item shows its photos, so its updated_at moves with them. What is set here differs from what was there
-- even within one millisecond; app.touch() makes the moment of it.
create or replace function app.touch_photographed_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.item_id) into item_ids from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.item_id) into item_ids from before b;
  else
    select pg_catalog.array_agg(u.item_id) into item_ids from (
      (select c.* from changed c except select b.* from before b)
      union all
      (select b.* from before b except select c.* from changed c)
    ) as u;
  end if;
  update app.items i set updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.touch_photographed_items() is 'Trigger of app.item_photos: moves updated_at of their items.';
--! EndIncluded app/functions/touch_photographed_items.sql
--! Included app/functions/prepare_maintenance_record.sql
-- Trigger: copies the name and the archiving of the item to its maintenance record. The item stays as it is until the
-- record is there to be found by whoever renames or archives it next.
create or replace function app.prepare_maintenance_record() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.item_id <> old.item_id then
    select i.name, i.archived_at is not null into new.item_name, new.item_archived
    from app.items i where i.studio_id = new.studio_id and i.id = new.item_id
    for share;
    new.item_archived := coalesce(new.item_archived, false); -- no such item: the foreign key refuses it
  end if;
  return new;
end
$$;

comment on function app.prepare_maintenance_record() is
  'Trigger of app.maintenance_records: copies the item''s name and archiving.';
--! EndIncluded app/functions/prepare_maintenance_record.sql
--! Included app/functions/copy_item_to_maintenance.sql
-- Trigger: maintenance records show the name of their item and vanish while it is archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(c.id) into item_ids
  from changed c join before b on b.studio_id = c.studio_id and b.id = c.id
  where (b.name, b.archived_at is null) is distinct from (c.name, c.archived_at is null);
  if item_ids is not null then
    update app.maintenance_records m
    set item_name = i.name, item_archived = i.archived_at is not null
    from app.items i
    where i.studio_id = access.current_studio_id() and i.id = any (item_ids)
      and m.studio_id = i.studio_id and m.item_id = i.id
      and (m.item_name, m.item_archived) is distinct from (i.name, i.archived_at is not null);
  end if;
  return null;
end
$$;

comment on function app.copy_item_to_maintenance() is
  'Trigger of app.items: copies name and archiving to the maintenance records.';
--! EndIncluded app/functions/copy_item_to_maintenance.sql
--! Included app/functions/count_maintenance.sql
-- Trigger: keeps the number of maintenance records of live items per studio and status ('*' is all), in slots like
-- app.count_items().
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  own_slot smallint;
  differences app.maintenance_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select c.studio_id, c.status, 0::smallint, count(*) from changed c where not c.item_archived group by 1, 2
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select b.studio_id, b.status, 0::smallint, -count(*) from before b where not b.item_archived group by 1, 2
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select u.studio_id, u.status, 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
        union all
        select b.studio_id, b.status, -1 from before b where not b.item_archived
      ) as u
      group by 1, 2 having sum(u.difference) <> 0
    ) as d;
  end if;
  if differences is null then
    return null;
  end if;
  own_slot := app.free_slot(differences[1].studio_id); -- a statement writes for one studio

  insert into app.maintenance_counts as held (studio_id, status, slot, records)
  select d.studio_id, coalesce(d.status, '*'), own_slot, sum(d.records)
  from unnest(differences) as d
  group by grouping sets ((d.studio_id), (d.studio_id, d.status))
  having sum(d.records) <> 0
  order by 1, 2
  on conflict (studio_id, status, slot) do update set records = held.records + excluded.records;
  return null;
end
$$;

comment on function app.count_maintenance() is 'Trigger of app.maintenance_records: keeps the numbers of records.';
--! EndIncluded app/functions/count_maintenance.sql
--! Included app/functions/touch_assigned_policies.sql
-- Trigger: a policy shows the number of its assignments, so its updated_at moves when that number does. What is set here
-- differs from what was there even within one millisecond; app.touch() makes the moment of it.
create or replace function app.touch_assigned_policies() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  policy_ids uuid[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(distinct c.policy_id) into policy_ids from changed c;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(distinct b.policy_id) into policy_ids from before b;
  else
    select pg_catalog.array_agg(u.policy_id) into policy_ids from (
      select d.policy_id
      from (select c.policy_id, 1 as difference from changed c union all select b.policy_id, -1 from before b) as d
      group by d.policy_id having sum(d.difference) <> 0
    ) as u;
  end if;
  update app.policies p set updated_at = p.updated_at + interval '1 millisecond'
  where p.studio_id = access.current_studio_id() and p.id = any (policy_ids);
  return null;
end
$$;

comment on function app.touch_assigned_policies() is
  'Trigger of app.policy_assignments: moves updated_at of policies whose number of assignments changed.';
--! EndIncluded app/functions/touch_assigned_policies.sql
--! Included app/functions/open_import.sql
-- Opens an import into one table of the session's studio, until the end of the transaction:
--   pg_temp.import_rows   the rows of a file: the table's own columns and, before them, what is known of a row until it is
--                         resolved (references as they are written, which row it is held in, what becomes of it)
--   pg_temp.import_flaws  what is wrong with them
-- COPY does not write into a table with row-level security, hence temporary tables. The owner makes them and lends them
-- to the writer, who must not have TEMP: PostgreSQL looks for the names of types in pg_temp first, whatever search_path
-- says, so whoever can make a type there can make a function of the owner run something else.
-- One import of a studio at a time. Raises 22023 for a table that nothing is imported into, 42501 without a studio,
-- 55P03 while another import runs.
create or replace function app.open_import(target text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if target is null or target not in ('locations', 'items', 'item_photos', 'market_values', 'policies',
    'policy_assignments', 'maintenance_records') then
    raise exception 'nothing is imported into %', pg_catalog.quote_nullable(target) using errcode = '22023';
  end if;
  if access.current_studio_id() is null then
    raise exception 'an import needs the session of a studio' using errcode = '42501';
  end if;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('import ' || access.current_studio_id()::text, 0)) then
    raise exception 'another import into this studio is under way' using errcode = '55P03',
      hint = 'Try again when it has ended.';
  end if;

  execute pg_catalog.format('create temporary table import_rows on commit drop as
    select null::bigint as line, null::text[] as flawed, null::text as fate, null::uuid as held_id,
      null::text as location, null::text as parent, null::text as item, null::text as policy, null::boolean as archived,
      null::text as file, null::text as item_in_name, null::smallint as position_in_name,
      t.*
    from app.%I t with no data', target);
  execute 'create temporary table import_flaws (
    line bigint, column_name text, value text, problem text not null, remedy text
  ) on commit drop';
  execute 'grant select, insert, update on pg_temp.import_rows to studio_writer';
  execute 'grant select, insert on pg_temp.import_flaws to studio_writer';
end
$$;

comment on function app.open_import(text) is
  'Opens an import into one table: temporary tables for the rows of a file and for what is wrong with them.';
--! EndIncluded app/functions/open_import.sql
--! Included app/triggers/studios.sql
-- The triggers of app.studios. Triggers of one event run in the order of their names.
create or replace trigger b_check before insert or update on app.studios
  for each row execute function app.check_studio();
create or replace trigger c_touch before update on app.studios
  for each row execute function app.touch();
create or replace trigger bump after insert or update on app.studios
  for each row execute function app.bump_own_data_version('id');
--! EndIncluded app/triggers/studios.sql
--! Included app/triggers/locations.sql
-- The triggers of app.locations. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.locations
  for each row execute function app.require_session();
create or replace trigger b_check before delete on app.locations
  for each row execute function app.check_location();
create or replace trigger c_touch before update on app.locations
  for each row execute function app.touch();

create or replace trigger check_plan after insert on app.locations
  for each row execute function app.check_location();
drop trigger if exists require_default on app.locations;
create constraint trigger require_default after update of is_default on app.locations
  deferrable initially deferred for each row when (old.is_default and not new.is_default)
  execute function app.require_default_location();

create or replace trigger bump_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/locations.sql
--! Included app/triggers/items.sql
-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.items
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();

create or replace trigger project_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.project_items();
create or replace trigger project_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.project_items();

create or replace trigger count_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.count_items();
create or replace trigger count_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.count_items();
create or replace trigger count_deleted after delete on app.items
  referencing old table as before for each statement execute function app.count_items();

create or replace trigger copy_to_maintenance after update on app.items
  referencing old table as before new table as changed for each statement
  execute function app.copy_item_to_maintenance();

create or replace trigger bump_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.items
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/items.sql
--! Included app/triggers/item_photos.sql
-- The triggers of app.item_photos. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.item_photos
  for each row execute function app.require_session();

create or replace trigger touch_items_inserted after insert on app.item_photos
  referencing new table as changed for each statement execute function app.touch_photographed_items();
create or replace trigger touch_items_updated after update on app.item_photos
  referencing old table as before new table as changed for each statement
  execute function app.touch_photographed_items();
create or replace trigger touch_items_deleted after delete on app.item_photos
  referencing old table as before for each statement execute function app.touch_photographed_items();
--! EndIncluded app/triggers/item_photos.sql
--! Included app/triggers/item_valuations.sql
-- The triggers of app.item_valuations. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.item_valuations
  for each row execute function app.require_session();

create or replace trigger clear_coverage after delete on app.item_valuations
  referencing old table as before for each statement execute function app.clear_coverage();
--! EndIncluded app/triggers/item_valuations.sql
--! Included app/triggers/market_values.sql
-- The triggers of app.market_values. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.market_values
  for each row execute function app.require_session();

create or replace trigger copy_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.copy_market_values();
--! EndIncluded app/triggers/market_values.sql
--! Included app/triggers/maintenance_records.sql
-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();

create or replace trigger count_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.count_maintenance();

create or replace trigger bump_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/maintenance_records.sql
--! Included app/triggers/policies.sql
-- The triggers of app.policies. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.policies
  for each row execute function app.require_session();
create or replace trigger c_touch before update on app.policies
  for each row execute function app.touch();

create or replace trigger bump_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/policies.sql
--! Included app/triggers/policy_assignments.sql
-- The triggers of app.policy_assignments. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.policy_assignments
  for each row execute function app.require_session();
create or replace trigger c_touch before update on app.policy_assignments
  for each row execute function app.touch();

create or replace trigger touch_policies_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.touch_assigned_policies();
create or replace trigger touch_policies_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement
  execute function app.touch_assigned_policies();
create or replace trigger touch_policies_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.touch_assigned_policies();

create or replace trigger bump_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/policy_assignments.sql
--! Included access/functions/refuse_change.sql
-- Trigger: refuses every change of what has been written, whoever asks. For append-only tables.
create or replace function access.refuse_change() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  raise exception '% is append-only', tg_relid::regclass using errcode = '42501';
end
$$;

comment on function access.refuse_change() is 'Trigger of append-only tables: refuses update, delete and truncate.';
--! EndIncluded access/functions/refuse_change.sql
--! Included access/triggers/audit_log.sql
-- spec: "Issuance and revocation are both written to the studio's audit log." What is written stays.
create or replace trigger append_only before update or delete on access.audit_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.audit_log
  for each statement execute function access.refuse_change();
--! EndIncluded access/triggers/audit_log.sql
--! Included access/triggers/subscriptions.sql
-- The account shows the plan and its period: the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');
--! EndIncluded access/triggers/subscriptions.sql

-- Who sees which rows
--! Included app/policies/locations.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's locations are seen and written by that studio alone" on app.locations;
create policy "A studio's locations are seen and written by that studio alone" on app.locations
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/locations.sql
--! Included app/policies/items.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's items are seen and written by that studio alone" on app.items;
create policy "A studio's items are seen and written by that studio alone" on app.items
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/items.sql
--! Included app/policies/item_photos.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's item photos are seen and written by that studio alone" on app.item_photos;
create policy "A studio's item photos are seen and written by that studio alone" on app.item_photos
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_photos.sql
--! Included app/policies/item_valuations.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's item valuations are seen and written by that studio alone" on app.item_valuations;
create policy "A studio's item valuations are seen and written by that studio alone" on app.item_valuations
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_valuations.sql
--! Included app/policies/item_counts.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's item counts are seen and written by that studio alone" on app.item_counts;
create policy "A studio's item counts are seen and written by that studio alone" on app.item_counts
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/item_counts.sql
--! Included app/policies/market_values.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's market values are seen and written by that studio alone" on app.market_values;
create policy "A studio's market values are seen and written by that studio alone" on app.market_values
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/market_values.sql
--! Included app/policies/maintenance_records.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's maintenance records are seen and written by it alone" on app.maintenance_records;
create policy "A studio's maintenance records are seen and written by it alone" on app.maintenance_records
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/maintenance_records.sql
--! Included app/policies/maintenance_counts.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's maintenance counts are seen and written by it alone" on app.maintenance_counts;
create policy "A studio's maintenance counts are seen and written by it alone" on app.maintenance_counts
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/maintenance_counts.sql
--! Included app/policies/policies.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's policies are seen and written by that studio alone" on app.policies;
create policy "A studio's policies are seen and written by that studio alone" on app.policies
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/policies.sql
--! Included app/policies/policy_assignments.sql
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The studio is looked up once a statement
-- and compared twice: the second comparison is made before anything that an analyst compares (see sql/README.md).
drop policy if exists "A studio's policy assignments are seen and written by it alone" on app.policy_assignments;
create policy "A studio's policy assignments are seen and written by it alone" on app.policy_assignments
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or studio_id = any (array[(select access.current_studio_id())])
    )
  )
  with check (studio_id = (select access.current_studio_id()));
--! EndIncluded app/policies/policy_assignments.sql

-- People, plans and tokens
--! Included access/functions/add_member.sql
-- Makes somebody a member of a studio (a new user when the e-mail is new), or changes the role of a member.
-- Returns the user's id. role: owner, admin or member.
create or replace function access.add_member(studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  insert into access.users as u (email, name) values (add_member.email, coalesce(add_member.name, ''))
  on conflict (lower(email)) do update set email = u.email
  returning u.id into person;

  insert into access.members (studio_id, user_id, role)
  values (add_member.studio_id, person, add_member.role)
  on conflict (studio_id, user_id) do update set role = excluded.role;
  return person;
end
$$;

comment on function access.add_member(uuid, text, text, text) is
  'Makes somebody a member of a studio, or changes a member''s role; returns the user''s id.';
--! EndIncluded access/functions/add_member.sql
--! Included access/functions/remove_member.sql
-- Removes a member from a studio. Tokens scoped to that member lose their scope and act as their issuer from then on
-- (the foreign key of access.tokens does it). Removing somebody who is no member changes nothing.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its issuer".
create or replace function access.remove_member(studio_id uuid, user_id uuid) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.members m
  where m.studio_id = remove_member.studio_id and m.user_id = remove_member.user_id;
end;

comment on function access.remove_member(uuid, uuid) is
  'Removes a member from a studio; tokens scoped to that member act as their issuer from then on.';
--! EndIncluded access/functions/remove_member.sql
--! Included access/functions/create_studio.sql
-- Creates a studio with its default location, its owner (a new user when the e-mail is new) and an active subscription.
-- Returns the studio's id. Raises 22023 for an unknown time zone; the tables' checks refuse the rest.
create or replace function access.create_studio(
  name text, owner_email text, owner_name text,
  plan text default 'studio', timezone text default 'UTC', currency text default 'EUR'
) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  outer_studio text := pg_catalog.current_setting('studio.id', true);
begin
  insert into app.studios as s (name, timezone, currency)
  values (create_studio.name, create_studio.timezone, create_studio.currency)
  returning s.id into studio;
  insert into access.subscriptions (studio_id, plan, status, current_period_start, current_period_end)
  values (studio, create_studio.plan, 'active', pg_catalog.now(), pg_catalog.now() + interval '1 month');
  perform access.add_member(studio, owner_email, owner_name, 'owner');

  perform access.enter_studio(studio);
  insert into app.locations (studio_id, name, is_default) values (studio, create_studio.name, true);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return studio;
end
$$;

comment on function access.create_studio(text, text, text, text, text, text) is
  'Creates a studio with its owner, an active subscription and its default location; returns its id.';
--! EndIncluded access/functions/create_studio.sql
--! Included access/functions/set_subscription.sql
-- Sets a studio's subscription as the billing system has it; it takes effect with the next request.
-- status: trialing (needs trial_ends_at), active, past_due or canceled. Null dates are unknown.
create or replace function access.set_subscription(
  studio_id uuid, plan text, status text, trial_ends_at timestamptz default null,
  current_period_start timestamptz default null, current_period_end timestamptz default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  insert into access.subscriptions
    (studio_id, plan, status, trial_ends_at, current_period_start, current_period_end)
  values (
    set_subscription.studio_id, set_subscription.plan, set_subscription.status, set_subscription.trial_ends_at,
    set_subscription.current_period_start, set_subscription.current_period_end
  )
  on conflict (studio_id) do update set
    plan = excluded.plan, status = excluded.status, trial_ends_at = excluded.trial_ends_at,
    current_period_start = excluded.current_period_start, current_period_end = excluded.current_period_end;
end
$$;

comment on function access.set_subscription(uuid, text, text, timestamptz, timestamptz, timestamptz) is
  'Sets a studio''s plan, its status and its period; it takes effect with the next request.';
--! EndIncluded access/functions/set_subscription.sql
--! Included access/functions/find_studio.sql
-- The id of the studio with this id or name (any case). Raises SI404 when there is none, SI409 when several share the name.
create or replace function access.find_studio(name_or_id text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  matches uuid[];
begin
  select pg_catalog.array_agg(s.id) into matches
  from app.studios s
  where s.id::text = pg_catalog.lower(name_or_id) or pg_catalog.lower(s.name) = pg_catalog.lower(name_or_id);
  if matches is null then
    raise exception 'there is no studio %', pg_catalog.quote_literal(name_or_id) using errcode = 'SI404';
  elsif pg_catalog.cardinality(matches) > 1 then
    raise exception 'several studios are named %', pg_catalog.quote_literal(name_or_id)
      using errcode = 'SI409', hint = 'Give the id: ' || pg_catalog.array_to_string(matches, ', ');
  end if;
  return matches[1];
end
$$;

comment on function access.find_studio(text) is 'The id of the studio with this id or name.';
--! EndIncluded access/functions/find_studio.sql
--! Included access/functions/find_user.sql
-- The id of the user with this e-mail (any case). Raises SI404 when there is none.
create or replace function access.find_user(email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select u.id into person from access.users u where pg_catalog.lower(u.email) = pg_catalog.lower(find_user.email);
  if person is null then
    raise exception 'there is no user with the e-mail %', pg_catalog.quote_literal(find_user.email) using errcode = 'SI404';
  end if;
  return person;
end
$$;

comment on function access.find_user(text) is 'The id of the user with this e-mail.';
--! EndIncluded access/functions/find_user.sql
--! Included access/functions/owner_of.sql
-- The user id of a studio's first owner. Raises SI404 when it has none.
create or replace function access.owner_of(studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select m.user_id into person from access.members m
  where m.studio_id = owner_of.studio_id and m.role = 'owner'
  order by m.created_at, m.user_id limit 1;
  if person is null then
    raise exception 'the studio has no owner' using errcode = 'SI404', hint = 'Name an admin as the issuer.';
  end if;
  return person;
end
$$;

comment on function access.owner_of(uuid) is 'The user id of a studio''s first owner.';
--! EndIncluded access/functions/owner_of.sql
--! Included access/functions/issue_token.sql
-- Issues a token. The caller makes the secret and hands over digests alone, so that the secret never reaches the
-- server: sha256 of 'svc_pro_<secret>' and of 'svc_studio_<secret>'; the plan at this moment picks the one that counts.
--   issued_by       must be an owner or admin of the studio now
--   scope_user_id   null, or a current member; its row stays locked until the end of the transaction
--   secret_prefix   the first four characters of the secret, for display
-- Raises 22023 (name), 42501 (issuer), SI402 (plan), SI404 (scope target). Writes the audit log in the same transaction.
-- spec: "Issuer is an owner or admin on a plan that allows creation; scope target, if given, is a current studio member".
create or replace function access.issue_token(
  studio_id uuid, issued_by uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  plan text;
  issued access.tokens;
begin
  if coalesce(pg_catalog.char_length(issue_token.name), 0) not between 1 and 100 then
    raise exception 'a token needs a name of 1 to 100 characters' using errcode = '22023';
  end if;

  perform from access.members m
  where m.studio_id = issue_token.studio_id and m.user_id = issue_token.issued_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can create a token' using errcode = '42501';
  end if;

  select access.entitled_plan(s) into plan
  from access.subscriptions s where s.studio_id = issue_token.studio_id;
  if plan is null then
    raise exception 'the studio''s plan includes no API access'
      using errcode = 'SI402', hint = 'A Pro or Studio plan is needed; a trial is enough.';
  end if;

  if issue_token.scope_user_id is not null then
    perform from access.members m
    where m.studio_id = issue_token.studio_id and m.user_id = issue_token.scope_user_id
    for key share;
    if not found then
      raise exception 'the team member to scope the token to is not a current member of the studio'
        using errcode = 'SI404';
    end if;
  end if;

  insert into access.tokens as t (studio_id, name, tier, prefix, digest, issued_by, scope_user_id)
  select
    issue_token.studio_id, issue_token.name, chosen.tier, 'svc_' || chosen.tier || '_' || secret_prefix,
    chosen.digest, issue_token.issued_by, issue_token.scope_user_id
  from (select
    case plan when 'studio' then 'studio' else 'pro' end as tier,
    case plan when 'studio' then studio_digest else pro_digest end as digest
  ) as chosen
  returning t.* into issued;

  insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
  values (issued.studio_id, 'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);

  return query select issued.id, issued.tier, issued.prefix, issued.created_at::timestamptz;
end
$$;

comment on function access.issue_token(uuid, uuid, text, uuid, text, bytea, bytea) is
  'Issues a token for a studio and records it in the audit log; only digests of the secret are handed over.';
--! EndIncluded access/functions/issue_token.sql
--! Included access/functions/revoke_token.sql
-- Revokes a token and records it in the audit log; revoking again succeeds and returns the same record.
-- Raises 42501 when revoked_by is no owner or admin of the studio now, SI404 when the studio has no such token.
-- spec: "Revoke again … Succeeds and returns the existing revoked record (idempotent)."
create or replace function access.revoke_token(studio_id uuid, token_id uuid, revoked_by uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  held access.tokens;
begin
  perform from access.members m
  where m.studio_id = revoke_token.studio_id and m.user_id = revoke_token.revoked_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can revoke a token' using errcode = '42501';
  end if;

  select t.* into held from access.tokens t
  where t.studio_id = revoke_token.studio_id and t.id = revoke_token.token_id
  for no key update;
  if not found then
    raise exception 'the studio has no such token' using errcode = 'SI404';
  end if;

  if held.revoked_at is null then
    update access.tokens t set revoked_at = pg_catalog.clock_timestamp(), revoked_by = revoke_token.revoked_by
    where t.studio_id = held.studio_id and t.id = held.id
    returning t.* into held;
    insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
    values (held.studio_id, 'token.revoked', held.revoked_by, held.id, held.name, held.prefix, held.scope_user_id);
  end if;

  return query select held.id, held.name, held.prefix, held.revoked_at::timestamptz;
end
$$;

comment on function access.revoke_token(uuid, uuid, uuid) is
  'Revokes a token at once and records it in the audit log; idempotent.';
--! EndIncluded access/functions/revoke_token.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, scope_email text,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language sql stable security definer
set search_path = ''
begin atomic
  select t.id, t.name, t.prefix, issuer.email, scoped.email, t.created_at, t.last_used_at, t.revoked_at
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
--! EndIncluded access/functions/list_tokens.sql
--! Included access/functions/token_activity.sql
-- The last 100 requests of a token, newest first. duration_ms is milliseconds.
-- spec: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and response time".
create or replace function access.token_activity(studio_id uuid, token_id uuid) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real
)
language sql stable security definer
set search_path = ''
begin atomic
  select a.at, a.endpoint, a.status, a.duration_ms
  from access.request_activity a
  where a.studio_id = token_activity.studio_id and a.token_id = token_activity.token_id
  order by a.at desc, a.id desc
  limit 100;
end;

comment on function access.token_activity(uuid, uuid) is 'The last 100 requests of a token, newest first.';
--! EndIncluded access/functions/token_activity.sql
--! Included access/functions/record_activity.sql
-- Records a batch of requests (parallel arrays, one element a request) and moves each token's last use; of every token
-- touched only the newest 100 requests are kept. Requests of tokens that no longer exist are dropped.
-- spec: "Activity history per token: last 100 requests".
create or replace function access.record_activity(
  token_ids uuid[], ats timestamptz[], endpoints text[], statuses smallint[], durations_ms real[]
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Always in the order of the ids, so that two instances recording at once cannot deadlock.
  perform from access.tokens t where t.id = any (token_ids) order by t.id for no key update;

  insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
  select t.studio_id, t.id, r.at, r.endpoint, r.status, r.duration_ms
  from unnest(token_ids, ats, endpoints, statuses, durations_ms) as r (token_id, at, endpoint, status, duration_ms)
  join access.tokens t on t.id = r.token_id
  order by r.at;

  update access.tokens t set last_used_at = used.at
  from (select r.token_id, max(r.at) as at from unnest(token_ids, ats) as r (token_id, at) group by r.token_id) as used
  where t.id = used.token_id and (t.last_used_at is null or t.last_used_at < used.at);

  delete from access.request_activity a
  using access.tokens t, lateral (
    select kept.at, kept.id
    from access.request_activity kept
    where kept.studio_id = t.studio_id and kept.token_id = t.id
    order by kept.at desc, kept.id desc
    offset 99 limit 1
  ) as hundredth
  where t.id = any (token_ids)
    and a.studio_id = t.studio_id and a.token_id = t.id and (a.at, a.id) < (hundredth.at, hundredth.id);
end
$$;

comment on function access.record_activity(uuid[], timestamptz[], text[], smallint[], real[]) is
  'Records a batch of requests, moves the tokens'' last use and keeps the newest 100 requests of each.';
--! EndIncluded access/functions/record_activity.sql

-- The contract
--! Included api_v1/functions/rfc3339.sql
-- A moment as it stands on the wire: RFC 3339 in UTC with three decimals; null stays null.
-- spec: "timestamps are ISO 8601 timestamps".
create or replace function api_v1.rfc3339(moment timestamptz) returns text
language sql stable security invoker
return pg_catalog.to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function api_v1.rfc3339(timestamptz) is 'A moment in RFC 3339, UTC, three decimals.';
--! EndIncluded api_v1/functions/rfc3339.sql
--! Included api_v1/views/items.sql
-- Archived items are never shown.
-- spec: "Archived items are never returned by the items endpoints"; Item object.
create or replace view api_v1.items with (security_invoker = true) as
select
  i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price::numeric(14,2) as purchase_price, i.acquisition_date, i.depreciation_method,
  v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source,
  i.market_value_as_of,
  null::numeric(14,2) as agreed_value_from_policy,
  i.reported_insured_value::numeric(14,2) as reported_insured_value,
  v.coverage_state, v.gap_amount,
  i.location_id, i.created_at, i.updated_at
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
where i.archived_at is null;

comment on view api_v1.items is 'The studio''s equipment that is not archived, each item with its valuation.';
comment on column api_v1.items.id is 'Unique item id.';
comment on column api_v1.items.name is 'Name of the item.';
comment on column api_v1.items.manufacturer is 'Manufacturer; empty when not recorded.';
comment on column api_v1.items.model is 'Model; empty when not recorded.';
comment on column api_v1.items.serial_number is 'Serial number; empty when not recorded.';
comment on column api_v1.items.barcode is 'Barcode; empty when not recorded.';
comment on column api_v1.items.category is 'One of the 16 categories.';
comment on column api_v1.items.tags is 'The studio''s own tags.';
comment on column api_v1.items.purchase_price is 'What was paid, in the studio''s currency; 0 when not recorded.';
comment on column api_v1.items.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.items.depreciation_method is
  'How value is calculated: none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.items.current_estimated_value is 'What the item is worth today; null when not available.';
comment on column api_v1.items.value_source is
  'Where the estimate comes from: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.items.market_value_as_of is 'When the market value was last refreshed; null when there is none.';
comment on column api_v1.items.agreed_value_from_policy is 'Reserved; always null in version 1.';
comment on column api_v1.items.reported_insured_value is 'Value reported as insured; 0 when none is.';
comment on column api_v1.items.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.items.gap_amount is 'Estimated value minus insured value; negative when more is declared.';
comment on column api_v1.items.location_id is 'Where the item is; null when no location is set.';
comment on column api_v1.items.created_at is 'When the item was recorded.';
comment on column api_v1.items.updated_at is 'When anything shown of the item last changed.';
--! EndIncluded api_v1/views/items.sql
--! Included api_v1/views/locations.sql
-- On a plan below Studio exactly the one implicit location.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace view api_v1.locations with (security_invoker = true) as
select
  l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
  l.postal_code, l.country_code, l.is_default, l.created_at, l.updated_at
from app.locations l
where l.is_default or (select access.current_plan()) = 'studio';

comment on view api_v1.locations is 'Where the studio keeps its equipment; on the Pro plan the one default location.';
comment on column api_v1.locations.id is 'Unique location id.';
comment on column api_v1.locations.name is 'Name of the location.';
comment on column api_v1.locations.description is 'Free text; null when not recorded.';
comment on column api_v1.locations.type is 'site, room, storage, rack, vehicle, offsite or other; null when not recorded.';
comment on column api_v1.locations.parent_id is 'The location this one is part of; null at the top.';
comment on column api_v1.locations.address_line1 is 'Street address; null when not recorded.';
comment on column api_v1.locations.address_line2 is 'Second line of the address; null when not recorded.';
comment on column api_v1.locations.city is 'City; null when not recorded.';
comment on column api_v1.locations.region is 'State, county or region; null when not recorded.';
comment on column api_v1.locations.postal_code is 'Postal code; null when not recorded.';
comment on column api_v1.locations.country_code is 'Country, ISO 3166-1 alpha-2; null when not recorded.';
comment on column api_v1.locations.is_default is 'Whether this is the studio''s default location.';
comment on column api_v1.locations.created_at is 'When the location was recorded.';
comment on column api_v1.locations.updated_at is 'When anything shown of the location last changed.';
--! EndIncluded api_v1/views/locations.sql
--! Included api_v1/views/maintenance.sql
-- Records of archived items are left out.
-- spec: GET /maintenance — "Lists scheduled and completed maintenance per item".
create or replace view api_v1.maintenance with (security_invoker = true) as
select
  m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
  m.cost::numeric(14,2) as cost, m.vendor, m.description, m.created_at, m.updated_at
from app.maintenance_records m
where not m.item_archived;

comment on view api_v1.maintenance is 'Scheduled and completed maintenance of items that are not archived.';
comment on column api_v1.maintenance.id is 'Unique id of the record.';
comment on column api_v1.maintenance.item_id is 'The item that is maintained.';
comment on column api_v1.maintenance.item_name is 'Name of that item; null when unavailable.';
comment on column api_v1.maintenance.title is 'What is done.';
comment on column api_v1.maintenance.maintenance_type is
  'preventive, repair, calibration, inspection, cleaning, upgrade or other; null when not recorded.';
comment on column api_v1.maintenance.status is 'scheduled or completed.';
comment on column api_v1.maintenance.scheduled_date is 'When it is due; null when not set.';
comment on column api_v1.maintenance.completed_date is 'When it was completed; null until then.';
comment on column api_v1.maintenance.cost is 'Cost in the studio''s currency; null when not recorded.';
comment on column api_v1.maintenance.vendor is 'Who does it; null when not recorded.';
comment on column api_v1.maintenance.description is 'Free text; null when not recorded.';
comment on column api_v1.maintenance.created_at is 'When the record was made.';
comment on column api_v1.maintenance.updated_at is 'When anything shown of the record last changed.';
--! EndIncluded api_v1/views/maintenance.sql
--! Included api_v1/views/policies.sql
-- Every policy of the studio, with whether it is active today on the studio's own calendar. The columns that are never
-- returned (owner_user_id, source_document_id, notes, studio_id) are not here and not granted.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and effective_end (if set)
-- has not passed"; policy_type — "Null when the stored value is not a recognised type."
create or replace view api_v1.policies with (security_invoker = true) as
select
  p.id, p.name, p.carrier, p.policy_number,
  case when p.policy_type in ('studio_property', 'equipment_floater', 'touring_rider', 'vehicle_transit', 'liability',
    'umbrella', 'other') then p.policy_type end as policy_type,
  p.overall_limit::numeric(14,2) as overall_limit, p.deductible::numeric(14,2) as deductible,
  p.covered_perils, p.location_constraints, p.effective_start, p.effective_end,
  p.archived_at is not null as archived,
  p.archived_at is null and p.effective_start is not null
    and p.effective_start <= (select access.current_studio_today())
    and (p.effective_end is null or p.effective_end >= (select access.current_studio_today())) as active,
  p.created_at, p.updated_at
from app.policies p;

comment on view api_v1.policies is 'The studio''s insurance policies, archived and expired ones included.';
comment on column api_v1.policies.id is 'Unique policy id.';
comment on column api_v1.policies.name is 'Name of the policy.';
comment on column api_v1.policies.carrier is 'Insurance carrier; null when not recorded.';
comment on column api_v1.policies.policy_number is 'The carrier''s number; null when not recorded.';
comment on column api_v1.policies.policy_type is
  'studio_property, equipment_floater, touring_rider, vehicle_transit, liability, umbrella or other; else null.';
comment on column api_v1.policies.overall_limit is 'Overall limit in the studio''s currency; null when not set.';
comment on column api_v1.policies.deductible is 'Deductible in the studio''s currency; null when not set.';
comment on column api_v1.policies.covered_perils is 'Perils covered; null when not recorded.';
comment on column api_v1.policies.location_constraints is 'Free text; null when not set.';
comment on column api_v1.policies.effective_start is 'When coverage begins; null when not set.';
comment on column api_v1.policies.effective_end is 'Last day of coverage; null for an open-ended policy.';
comment on column api_v1.policies.archived is 'Whether the policy is archived.';
comment on column api_v1.policies.active is 'Whether the policy is active today on the studio''s calendar.';
comment on column api_v1.policies.created_at is 'When the policy was recorded.';
comment on column api_v1.policies.updated_at is 'When anything shown of the policy last changed.';
--! EndIncluded api_v1/views/policies.sql
--! Included api_v1/views/assignments.sql
-- Which item is declared under which policy. The row's own id, notes and timestamps are not here and not granted.
-- spec: Assignment object; policy_name — "Joined in; null when unavailable."
create or replace view api_v1.assignments with (security_invoker = true) as
select
  a.item_id, a.policy_id, p.name as policy_name, a.declared_value::numeric(14,2) as declared_value, a.is_primary,
  a.effective_start, a.effective_end
from app.policy_assignments a
left join app.policies p on p.studio_id = a.studio_id and p.id = a.policy_id;

comment on view api_v1.assignments is 'Which item is declared under which policy, and for how much.';
comment on column api_v1.assignments.item_id is 'The item.';
comment on column api_v1.assignments.policy_id is 'The policy.';
comment on column api_v1.assignments.policy_name is 'Name of the policy; null when unavailable.';
comment on column api_v1.assignments.declared_value is 'Amount declared for the item under the policy; null means unknown.';
comment on column api_v1.assignments.is_primary is 'Whether this is the item''s primary assignment; at most one is.';
comment on column api_v1.assignments.effective_start is 'First day of the assignment; null when no window is set.';
comment on column api_v1.assignments.effective_end is 'Last day of the assignment; null when open-ended.';
--! EndIncluded api_v1/views/assignments.sql
--! Included api_v1/views/account.sql
-- spec: GET /account — "Returns account metadata: plan tier, current billing period, item count."
create or replace view api_v1.account with (security_invoker = true) as
select
  a.name, a.plan_tier, a.is_trial, a.trial_ends_at, a.current_period_start, a.current_period_end,
  (select count(*) from app.items i where i.archived_at is null) as item_count,
  a.currency, a.timezone
from access.current_account() a;

comment on view api_v1.account is 'The studio''s account: plan, billing period, number of items.';
comment on column api_v1.account.name is 'Name of the studio.';
comment on column api_v1.account.plan_tier is 'pro, pro_insure or studio.';
comment on column api_v1.account.is_trial is 'Whether the studio is on trial.';
comment on column api_v1.account.trial_ends_at is 'When the trial ends; null when there is none.';
comment on column api_v1.account.current_period_start is 'Start of the billing period; null when unknown.';
comment on column api_v1.account.current_period_end is 'End of the billing period; null when unknown.';
comment on column api_v1.account.item_count is 'Number of items that are not archived.';
comment on column api_v1.account.currency is 'Currency of every amount, ISO 4217.';
comment on column api_v1.account.timezone is 'The studio''s time zone, IANA.';
--! EndIncluded api_v1/views/account.sql
--! Included api_v1/views/item_documents.sql
-- The items of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- spec: Item object, the fields that are not "Detail only".
create or replace view api_v1.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  row_to_json((select item from (select
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
    i.purchase_price::numeric(14,2) as purchase_price, i.acquisition_date, i.depreciation_method,
    api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
    i.reported_insured_value::numeric(14,2) as reported_insured_value, i.location_id,
    api_v1.rfc3339(i.created_at) as created_at, api_v1.rfc3339(i.updated_at) as updated_at
  ) as item))::text as document
from app.items i
where i.archived_at is null;

comment on view api_v1.item_documents is 'The items of the list as JSON text, for the REST service.';
--! EndIncluded api_v1/views/item_documents.sql
--! Included api_v1/views/item_valuations.sql
-- The projection alone, so that the item is whole when it cannot be read. For the REST service.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null".
create or replace view api_v1.item_valuations with (security_invoker = true) as
select v.item_id, v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source, v.coverage_state,
  v.gap_amount
from app.item_valuations v;

comment on view api_v1.item_valuations is 'The valuation of each item, for the REST service.';
--! EndIncluded api_v1/views/item_valuations.sql
--! Included api_v1/views/item_photos.sql
-- Where the photos of each item are stored, in order. For the REST service, which signs them.
-- spec: photo_urls.
create or replace view api_v1.item_photos with (security_invoker = true) as
select p.item_id, p.position, p.id, p.storage_key
from app.item_photos p;

comment on view api_v1.item_photos is 'Storage keys of the items'' photos, for the REST service.';
--! EndIncluded api_v1/views/item_photos.sql
--! Included api_v1/views/item_counts.sql
-- The number of live items per category and coverage state ('*' is all), in parts to be summed. For the REST service.
create or replace view api_v1.item_counts with (security_invoker = true) as
select c.category, c.coverage_state, c.items from app.item_counts c;

comment on view api_v1.item_counts is 'Numbers of items per category and coverage state, in parts to be summed.';
--! EndIncluded api_v1/views/item_counts.sql
--! Included api_v1/views/maintenance_documents.sql
-- The maintenance records as JSON text, beside the columns that filter and order them. For the REST service.
create or replace view api_v1.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  row_to_json((select record from (select
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
    m.cost::numeric(14,2) as cost, m.vendor, m.description,
    api_v1.rfc3339(m.created_at) as created_at, api_v1.rfc3339(m.updated_at) as updated_at
  ) as record))::text as document
from app.maintenance_records m
where not m.item_archived;

comment on view api_v1.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
--! EndIncluded api_v1/views/maintenance_documents.sql
--! Included api_v1/views/maintenance_counts.sql
-- The number of records per status ('*' is all), in parts to be summed. For the REST service.
create or replace view api_v1.maintenance_counts with (security_invoker = true) as
select c.status, c.records from app.maintenance_counts c;

comment on view api_v1.maintenance_counts is 'Numbers of maintenance records per status, in parts to be summed.';
--! EndIncluded api_v1/views/maintenance_counts.sql
--! Included api_v1/functions/count_items.sql
-- How many live items match. Without updated_since the counters know; with it an index-only scan counts what is newer.
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(category text, coverage_state text, updated_since timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
begin
  if updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from api_v1.item_counts c
      where c.category = coalesce(category, '*') and c.coverage_state = coalesce(coverage_state, '*'));
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.category = category and d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.coverage_state = coverage_state and d.updated_at >= updated_since
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from api_v1.item_documents d
    where d.category = category and d.coverage_state = coverage_state and d.updated_at >= updated_since
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz) is 'How many live items match the filters.';
--! EndIncluded api_v1/functions/count_items.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it; a deep page finds its first key in the index alone before it reads
-- rows. page counts from 1; per_page is 1 to 100; null filters do not filter.
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint;
  first_at timestamptz := 'infinity';
  first_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := api_v1.count_items(category, coverage_state, updated_since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  skipped := (page - 1) * per_page;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.category = category and d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_items(bytea, bigint, integer, text, text, timestamptz) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole. 404 for null (a malformed id), unknown, archived and another studio's
-- alike.
-- spec: GET /items/{id}, rules 1 to 3; Item object.
create or replace function api_v1.get_item(token_digest bytea, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  valuation record;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select left(d.document, -1) || ',' || substr(row_to_json(valued)::text, 2) into answer.data
  from api_v1.item_documents d, (
    select valuation.current_estimated_value, valuation.value_source, null as agreed_value_from_policy,
      valuation.coverage_state, valuation.gap_amount
  ) as valued
  where d.id = id;
  if answer.data is null then
    answer.status := 404;
    return answer;
  end if;

  begin
    select coalesce(pg_catalog.array_agg(p.storage_key order by p.position, p.id), '{}') into answer.photo_keys
    from api_v1.item_photos p where p.item_id = id;
  exception when others then
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(token_digest bytea, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from api_v1.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select coalesce(pg_catalog.string_agg(row_to_json(assignment)::text, ','), '') into answer.data from (
    select a.policy_id, a.policy_name, a.declared_value, a.is_primary, a.effective_start, a.effective_end
    from api_v1.assignments a
    where a.item_id = id
    order by a.is_primary desc, a.policy_id, a.effective_start, a.effective_end, a.declared_value
  ) as assignment;
  return answer;
end
$$;

comment on function api_v1.list_item_policies(bytea, uuid) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match.
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := (select count(*) from api_v1.locations l where l.updated_at >= since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;

  select pg_catalog.string_agg(row_to_json(location)::text, ',') into answer.data from (
    select
      l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
      l.postal_code, l.country_code, l.is_default,
      api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
    from api_v1.locations l
    where l.updated_at >= since
    order by l.updated_at desc, l.id desc
    offset (page - 1) * per_page limit per_page
  ) as location;
  return answer;
end
$$;

comment on function api_v1.list_locations(bytea, bigint, integer, timestamptz) is
  'GET /locations: a page of locations, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_locations.sql
--! Included api_v1/functions/count_maintenance.sql
-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
begin
  if item_id is not null then
    return (select count(*) from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity'));
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from api_v1.maintenance_counts c
      where c.status = coalesce(status, '*'));
  elsif status is null then
    return (select count(*) from api_v1.maintenance_documents d where d.updated_at >= updated_since);
  end if;
  return (select count(*) from api_v1.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz) is
  'How many maintenance records match the filters.';
--! EndIncluded api_v1/functions/count_maintenance.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint;
  first_at timestamptz := 'infinity';
  first_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := api_v1.count_maintenance(item_id, status, updated_since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  skipped := (page - 1) * per_page;

  if item_id is not null then
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped limit per_page) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.maintenance_documents d
      where d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into first_at, first_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since order by d.updated_at desc, d.id desc offset skipped limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ',') into answer.data from (
      select d.document from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) <= (first_at, first_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_maintenance(bytea, bigint, integer, uuid, text, timestamptz) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/list_policies.sql
-- GET /policies: one page of the policies that are active today, most recently started first, and their number.
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := (select count(*) from api_v1.policies p where p.active and p.updated_at >= since);
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;

  select pg_catalog.string_agg(row_to_json(policy)::text, ',') into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    from api_v1.policies p
    where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc
    offset (page - 1) * per_page limit per_page
  ) as policy;
  return answer;
end
$$;

comment on function api_v1.list_policies(bytea, bigint, integer, timestamptz) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted.
-- 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(token_digest bytea, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
    assignments := 0;
  end;

  select row_to_json(policy)::text into answer.data from (
    select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived, assignments as assignments_count
    from api_v1.policies p where p.id = id
  ) as policy;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_policy(bytea, uuid) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(token_digest bytea) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      api_v1.count_items(null, null, null) as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql

-- Checks on the catalog
--! Included audit/views/covered_schemas.sql
-- The schemas that the checks cover: those of the owner.
create or replace view audit.covered_schemas with (security_invoker = true) as
select n.oid as schema, n.nspname as name
from pg_catalog.pg_namespace n
join pg_catalog.pg_roles r on r.oid = n.nspowner
where r.rolname = 'studio_owner';

comment on view audit.covered_schemas is 'The schemas that the checks cover: those of studio_owner.';
--! EndIncluded audit/views/covered_schemas.sql
--! Included audit/views/exposed_roles.sql
-- The roles through which somebody outside reaches the data. What a login may do beyond its group is judged by the
-- grants themselves (audit.column_grant_beyond_the_list).
create or replace view audit.exposed_roles with (security_invoker = true) as
select r.oid as role, r.rolname as name
from pg_catalog.pg_roles r
where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql',
  'studio_analyst', 'studio_auditor');

comment on view audit.exposed_roles is 'The roles through which somebody outside reaches the data.';
--! EndIncluded audit/views/exposed_roles.sql
--! Included audit/views/exposed_tables.sql
-- What holds rows and can be read or written by an exposed role, by whatever grant: to the role, to everybody, on the
-- table or on one of its columns. Of other people's schemas only what the role can name.
create or replace view audit.exposed_tables with (security_invoker = true) as
select
  c.oid as relation, pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind,
  c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
  pg_catalog.string_agg(e.name, ', ' order by e.name) as roles
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join audit.covered_schemas s on s.schema = n.oid
join audit.exposed_roles e
  on (s.schema is not null or pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE'))
  and (pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
    or pg_catalog.has_table_privilege(e.role, c.oid, 'DELETE, TRUNCATE, TRIGGER'))
where c.relkind in ('r', 'p', 'm', 'f')
  and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
group by c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity;

comment on view audit.exposed_tables is 'Tables on which an exposed role has any privilege.';
--! EndIncluded audit/views/exposed_tables.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_valuations', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_photos', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_counts', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
--! Included audit/rules/table_without_row_level_security.sql
-- Tables that an exposed role can reach although row-level security is not enabled or not forced. What can have none
-- (materialised views, foreign tables) is found as well.
create or replace view audit.table_without_row_level_security with (security_invoker = true) as
select
  'table_without_row_level_security' as rule,
  'error' as level,
  t.name as object,
  case
    when t.kind in ('m', 'f') then 'is of a kind that cannot have row-level security'
    when not t.enabled then 'row-level security is not enabled'
    else 'row-level security is not forced'
  end || pg_catalog.format(', and %s can reach it', t.roles) as finding,
  'Without it the rows of every studio are visible to whoever can reach the table; unforced, to the owner''s own '
    'functions and views.' as why,
  case
    when t.kind in ('m', 'f') then pg_catalog.format('Revoke all on %s from %s.', t.name, t.roles)
    else pg_catalog.format(
      'alter table %1$s enable row level security; alter table %1$s force row level security;', t.name)
  end as remedy
from audit.exposed_tables t
where t.kind in ('m', 'f') or not t.enabled or not t.forced;

comment on view audit.table_without_row_level_security is
  'Tables within an exposed role''s reach without row-level security enabled and forced.';
--! EndIncluded audit/rules/table_without_row_level_security.sql
--! Included audit/rules/policy_for_a_role.sql
-- Policies that are not to everybody.
create or replace view audit.policy_for_a_role with (security_invoker = true) as
select
  'policy_for_a_role' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  'is not TO PUBLIC but TO ' || (
    select pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' order by r.rolname)
    from pg_catalog.pg_roles r where r.oid = any (p.polroles)) as finding,
  'On servers without the fix for it a role can remove the policies that name it (DROP OWNED BY); and roles that are '
    'not named fall under other rules than those that are.' as why,
  pg_catalog.format('alter policy %I on %I.%I to public;', p.polname, n.nspname, c.relname) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where not 0::oid = any (p.polroles);

comment on view audit.policy_for_a_role is 'Policies that are not to everybody.';
--! EndIncluded audit/rules/policy_for_a_role.sql
--! Included audit/rules/policy_not_comparing_studio_id.sql
-- Permissive policies that let a row pass by anything else than its studio. Judged by the expression as the server
-- prints it and by the function it depends on, so that another function of the same name does not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'A row is its studio''s alone: a policy that compares anything else, or the right column with anything else, shows '
    'or takes rows of other studios.' as why,
  pg_catalog.format('alter policy %I on %I.%I using (studio_id = (select access.current_studio_id()) and '
    '((select session_user in (''studio_api'', ''studio_writer'')) or '
    'studio_id = any (array[(select access.current_studio_id())]))) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), 'access.', '') as visible,
    pg_catalog.replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), 'access.', '') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(studio_id = ANY (ARRAY[( SELECT current_studio_id() AS current_studio_id)]))))' as shown,
    '(studio_id = ( SELECT current_studio_id() AS current_studio_id))' as taken
  from pg_catalog.pg_policy p
  where p.polpermissive
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- Without its own check, a policy for writes takes what it shows.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   or not exists (
     select
     from pg_catalog.pg_depend d
     join pg_catalog.pg_proc f on f.oid = d.refobjid
     join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
     where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
       and d.refclassid = 'pg_catalog.pg_proc'::regclass
       and fn.nspname = 'access' and f.proname = 'current_studio_id');

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
--! EndIncluded audit/rules/policy_not_comparing_studio_id.sql
--! Included audit/rules/view_not_invoker.sql
-- Views that read with their owner's rights: those of the owner's schemas, and any other that an exposed role can read.
create or replace view audit.view_not_invoker with (security_invoker = true) as
select
  'view_not_invoker' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  'reads with the rights of its owner, ' || pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)) as finding,
  'The owner''s rights hide no column; and where the owner is a superuser, no row-level security applies.' as why,
  pg_catalog.format('alter view %I.%I set (security_invoker = true);', n.nspname, c.relname) as remedy
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'v'
  and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (
    select from pg_catalog.unnest(c.reloptions) as option
    where option ~ '^security_invoker=' and pg_catalog.split_part(option, '=', 2)::boolean)
  and (
    exists (select from audit.covered_schemas s where s.schema = n.oid)
    or exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE')));

comment on view audit.view_not_invoker is 'Views that read with their owner''s rights.';
--! EndIncluded audit/rules/view_not_invoker.sql
--! Included audit/rules/column_grant_beyond_the_list.sql
-- Privileges on a table, view or column that audit.allowed_privileges does not name: of exposed roles, of single logins
-- and of everybody. Also those that may be passed on.
create or replace view audit.column_grant_beyond_the_list with (security_invoker = true) as
select
  'column_grant_beyond_the_list' as rule,
  'error' as level,
  g.relation || case g.column_name when '*' then '' else pg_catalog.format(' (%I)', g.column_name) end as object,
  pg_catalog.format('%s is granted to %s%s', g.privilege, g.grantee,
    case when g.grantable then ', who may pass it on' else '' end) as finding,
  'Columns that are never shown are hidden by having no grant, and everything else is granted by name.' as why,
  pg_catalog.format('revoke %s%s on %s from %s;', g.privilege,
    case g.column_name when '*' then '' else pg_catalog.format(' (%I)', g.column_name) end, g.relation, g.grantee
  ) as remedy
from (
  select
    pg_catalog.format('%I.%I', s.name, c.relname) as relation, held.column_name, a.privilege_type as privilege,
    case a.grantee when 0 then 'public' else pg_catalog.pg_get_userbyid(a.grantee)::text end as grantee,
    a.is_grantable as grantable
  from pg_catalog.pg_class c
  join audit.covered_schemas s on s.schema = c.relnamespace
  cross join lateral (
    select '*', c.relacl
    union all
    select a.attname, a.attacl from pg_catalog.pg_attribute a where a.attrelid = c.oid and not a.attisdropped
  ) as held (column_name, acl)
  cross join lateral pg_catalog.aclexplode(held.acl) as a
  where a.grantee <> c.relowner
) as g
where g.grantable or not exists (
  select from audit.allowed_privileges l
  where l.role = g.grantee and l.privilege = g.privilege and l.relation = g.relation
    and l.column_name in (g.column_name, '*'));

comment on view audit.column_grant_beyond_the_list is
  'Privileges on tables, views and columns that the list does not name.';
--! EndIncluded audit/rules/column_grant_beyond_the_list.sql
--! Included audit/rules/usage_on_app.sql
-- Who can name the tables, by whatever grant or membership; of a group and its members the group alone. Left out are
-- superusers, the owner and its members, and the roles that come with the server.
create or replace view audit.usage_on_app with (security_invoker = true) as
with app as (
  select n.oid, exists (
    select from pg_catalog.aclexplode(n.nspacl) a where a.grantee = 0) as open_to_everybody
  from pg_catalog.pg_namespace n
  where n.nspname = 'app'
), holders as (
  select r.oid, r.rolname as name
  from app
  join pg_catalog.pg_roles r
    on not app.open_to_everybody and pg_catalog.has_schema_privilege(r.oid, app.oid, 'USAGE, CREATE')
  where r.rolname not in ('studio_owner', 'studio_writer') and r.rolname !~ '^pg_'
    and not r.rolsuper
    and not exists (
      select from pg_catalog.pg_roles o
      where o.rolname = 'studio_owner' and pg_catalog.pg_has_role(r.oid, o.oid, 'MEMBER'))
)
select
  'usage_on_app' as rule,
  'error' as level,
  pg_catalog.quote_ident(found.name) as object,
  'has USAGE or CREATE on schema app' as finding,
  'Readers reach the tables through the views alone: who can name a table can ask for its columns without the '
    'conditions of the view, archived items for one.' as why,
  pg_catalog.format('revoke all on schema app from %s; -- or its membership in the role that has it',
    pg_catalog.quote_ident(found.name)) as remedy
from (
  select 'public' as name from app where app.open_to_everybody
  union all
  select h.name from holders h
  where not exists (
    select from holders g where g.oid <> h.oid and pg_catalog.pg_has_role(h.oid, g.oid, 'USAGE'))
) as found;

comment on view audit.usage_on_app is 'Who can name the tables, other than the owner and the writer.';
--! EndIncluded audit/rules/usage_on_app.sql
--! Included audit/rules/member_of_two_exposed_roles.sql
-- Roles that can act as two exposed roles, and exposed roles that can act as another or as the owner, directly or by
-- way of others. Administrators (superusers, and who may create roles) are left out: they can become anybody. So is a
-- membership that only lets its holder make others members.
create or replace view audit.member_of_two_exposed_roles with (security_invoker = true) as
with recursive memberships (member, role) as (
  select m.member, m.roleid
  from pg_catalog.pg_auth_members m
  -- Before version 16 every membership could be used.
  where coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
     or coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
), reached (member, role) as (
  select m.member, m.role from memberships m
  union
  select r.member, m.role from reached r join memberships m on m.member = r.role
), held as (
  select
    member.oid, member.rolname as name, e.role is not null as exposed, pg_catalog.count(*) as roles,
    pg_catalog.string_agg(pg_catalog.quote_ident(role.rolname), ', ' order by role.rolname) as names
  from reached
  join pg_catalog.pg_roles member on member.oid = reached.member
  join pg_catalog.pg_roles role on role.oid = reached.role
  left join audit.exposed_roles e on e.role = member.oid
  where not member.rolsuper and not member.rolcreaterole
    and (role.oid in (select x.role from audit.exposed_roles x)
      or (e.role is not null and role.rolname = 'studio_owner'))
  group by member.oid, member.rolname, e.role
)
select
  'member_of_two_exposed_roles' as rule,
  'error' as level,
  pg_catalog.quote_ident(h.name) as object,
  case when h.exposed then 'is exposed itself and a member of ' else 'is a member of ' end || h.names as finding,
  'What each role may do is safe by itself; together they may do what was meant for none.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
--! EndIncluded audit/rules/member_of_two_exposed_roles.sql
--! Included audit/rules/function_without_search_path.sql
-- Functions whose names are looked up where the caller says. Exempt is a body that was parsed when the function was
-- created and runs with its caller's rights: its names are settled, and without settings it can be inlined.
create or replace view audit.function_without_search_path with (security_invoker = true) as
select
  'function_without_search_path' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  coalesce(
    (select 'has ' || setting from pg_catalog.unnest(p.proconfig) as setting where setting ~ '^search_path='),
    'has no search_path of its own') as finding,
  'The caller chooses what the unqualified names in its body mean' ||
    case when p.prosecdef then ', and it runs with its owner''s rights' else '' end || '.' as why,
  pg_catalog.format('alter function %I.%I(%s) set search_path = '''';',
    s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as remedy
from pg_catalog.pg_proc p
join audit.covered_schemas s on s.schema = p.pronamespace
where p.prokind <> 'a'
  and (p.prosqlbody is null or p.prosecdef)
  and 'search_path=""' <> all (coalesce(p.proconfig, '{}'));

comment on view audit.function_without_search_path is 'Functions whose names are looked up where the caller says.';
--! EndIncluded audit/rules/function_without_search_path.sql
--! Included audit/rules/executable_by_everybody.sql
-- Functions that every role of the server may call. A function without any grant is one: EXECUTE for PUBLIC is what the
-- server gives by itself.
create or replace view audit.executable_by_everybody with (security_invoker = true) as
select
  'executable_by_everybody' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  'EXECUTE is granted to PUBLIC' as finding,
  'Who may call a function is said by name' ||
    case when p.prosecdef then '; this one runs with its owner''s rights, whoever calls it' else '' end || '.' as why,
  pg_catalog.format('revoke execute on routine %I.%I(%s) from public;',
    s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as remedy
from pg_catalog.pg_proc p
join audit.covered_schemas s on s.schema = p.pronamespace
where exists (
  select
  from pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) a
  where a.grantee = 0 and a.privilege_type = 'EXECUTE');

comment on view audit.executable_by_everybody is 'Functions that every role of the server may call.';
--! EndIncluded audit/rules/executable_by_everybody.sql
--! Included audit/rules/index_not_leading_with_studio_id.sql
-- Indexes of tables within an exposed role's reach whose first column is not studio_id.
create or replace view audit.index_not_leading_with_studio_id with (security_invoker = true) as
select
  'index_not_leading_with_studio_id' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('leads with %s on %s',
    pg_catalog.pg_get_indexdef(i.indexrelid, 1, false), t.name) as finding,
  'An index that is searched before the studio is known finds rows of every studio: EXPLAIN ANALYZE tells whether a '
    'value exists, and a unique one refuses what another studio has.' as why,
  'Drop it and create it anew with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where not exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid = t.relation and a.attnum = i.indkey[0] and a.attname = 'studio_id');

comment on view audit.index_not_leading_with_studio_id is 'Indexes that are searched before the studio is known.';
--! EndIncluded audit/rules/index_not_leading_with_studio_id.sql
--! Included audit/rules/statistics_on_a_private_column.sql
-- Columns of which the server would keep statistics although they hold a studio's own words, numbers, ids or dates; and
-- expressions of indexes, which have statistics of their own.
create or replace view audit.statistics_on_a_private_column with (security_invoker = true) as
select
  'statistics_on_a_private_column' as rule,
  'error' as level,
  pg_catalog.format('%s (%I)', held.name, a.attname) as object,
  'has statistics, with the target ' || coalesce(nullif(a.attstattarget, -1)::text, 'that is the default') as finding,
  'They are made from every studio''s values and shape the estimates that EXPLAIN shows: a stranger''s value is found '
    'letter by letter.' as why,
  pg_catalog.format('alter %s %s alter column %s set statistics 0; -- what was collected stays until a superuser '
    'deletes it from pg_statistic (from version 18 on: pg_clear_attribute_stats)',
    held.kind, held.name, case held.kind when 'index' then a.attnum::text else pg_catalog.quote_ident(a.attname) end
  ) as remedy
from (
  select 'table' as kind, t.relation, t.name, null::int2vector as indkey
  from audit.exposed_tables t
  union all
  select 'index', i.indexrelid, pg_catalog.format('%I.%I', n.nspname, c.relname), i.indkey
  from audit.exposed_tables t
  join pg_catalog.pg_index i on i.indrelid = t.relation
  join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as held
join pg_catalog.pg_attribute a on a.attrelid = held.relation and a.attnum > 0 and not a.attisdropped
where coalesce(a.attstattarget, -1) <> 0 -- the default is null, before version 17 -1
  and case held.kind
    when 'index' then held.indkey[a.attnum - 1] = 0
    else a.attname not in ('studio_id', 'archived_at')
  end;

comment on view audit.statistics_on_a_private_column is
  'Columns and index expressions with statistics that would show other studios'' values.';
--! EndIncluded audit/rules/statistics_on_a_private_column.sql

-- Who may do what
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.get_policy, api_v1.get_account, api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.current_studio_id, access.current_studio_today, access.current_plan,
  access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function, and nothing else.

grant execute on function access.record_activity to studio_recorder;
--! EndIncluded grants/studio_recorder.sql
--! Included grants/studio_writer.sql
-- The app's and the importer's writes, for one studio at a time, under row-level security. Columns that the database
-- keeps itself (studio_id and id once written, created_at, updated_at, coverage_state, copies) cannot be written.
-- Items and policies are archived, not deleted.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.item_valuations,
  app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, item_id, value, as_of, source) on app.market_values to studio_writer;
grant update (value, as_of, source) on app.market_values to studio_writer;
grant delete on app.market_values to studio_writer;

grant insert (studio_id, id, external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date,
  cost, vendor, description) on app.maintenance_records to studio_writer;
grant update (external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor,
  description) on app.maintenance_records to studio_writer;
grant delete on app.maintenance_records to studio_writer;

grant insert (studio_id, id, external_key, name, carrier, policy_number, policy_type, overall_limit, deductible,
  covered_perils, location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id,
  notes) on app.policies to studio_writer;
grant update (external_key, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id, notes)
  on app.policies to studio_writer;

grant insert (studio_id, id, external_key, item_id, policy_id, declared_value, is_primary, effective_start,
  effective_end, notes) on app.policy_assignments to studio_writer;
grant update (external_key, item_id, policy_id, declared_value, is_primary, effective_start, effective_end, notes)
  on app.policy_assignments to studio_writer;
grant delete on app.policy_assignments to studio_writer;

grant execute on function access.current_studio_id, access.current_plan, valuation.refresh, app.open_import
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
--! Included grants/studio_graphql.sql
-- The GraphQL pool: reads the views of api_v1 that analysts read
-- too; column by column on the tables under the views, no USAGE on app.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_graphql;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_graphql;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_graphql;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_graphql;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_graphql;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_today, access.current_plan, access.current_account
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql
--! Included grants/studio_analyst.sql
-- Analysts: each is a login of this group, mapped to one studio in access.analyst_logins. They read the views of api_v1
-- in SQL; column by column on the tables under the views, no USAGE on app, nothing to write and nothing to execute that
-- is not needed by a view.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_analyst;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_analyst;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_analyst;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_analyst;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_analyst;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_analyst;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_today, access.current_plan, access.current_account
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;
--! EndIncluded grants/studio_auditor.sql

-- As the administrator
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

  -- Large objects, advisory locks, sleeping and messages to other sessions: no use to a reader, of use to an attacker.
  for f in
    select p.oid::regprocedure as signature
    from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and (p.proname ~ '^(lo_|lo(read|write)$|pg_(try_)?advisory_|pg_sleep)' or p.proname in ('loread', 'lowrite', 'pg_notify'))
      and (p.proacl is null or exists (
        select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE'))
  loop
    execute format('revoke execute on function %s from public', f.signature);
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to studio_owner;
end
$$;
--! EndIncluded grants/database.sql
--! EndIncluded all.sql
