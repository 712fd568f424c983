--! Previous: sha1:933c785be6363362dbc7952f34a0304586214ea1
--! Hash: sha1:5ef39122b9b2b5ecfedf81f9abd542ff31448877
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
-- leave the planner guessing: every list is made to be read in the order of its index, so it is not to sort instead; and a
-- plan that was made while a table was small, or full of dead rows, would read all of it.
alter role studio_api set plan_cache_mode = 'force_generic_plan';
alter role studio_api set enable_seqscan = off;
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
alter role studio_recorder set idle_in_transaction_session_timeout = '5s';
alter role studio_recorder set lock_timeout = '2s';
alter role studio_writer set timezone = 'UTC';
alter role studio_writer set jit = off;
alter role studio_console set timezone = 'UTC';
alter role studio_console set search_path = '';
alter role studio_console set idle_in_transaction_session_timeout = '5s';
alter role studio_console set lock_timeout = '2s';
alter role studio_graphql set timezone = 'UTC';
alter role studio_graphql set jit = off;
alter role studio_graphql set default_transaction_read_only = on;
alter role studio_graphql set search_path = '';
alter role studio_graphql set idle_in_transaction_session_timeout = '20s';
alter role studio_graphql set lock_timeout = '2s';
-- A statement whose client has gone ends; not every operating system can tell.
do $$
begin
  alter role studio_api set client_connection_check_interval = '1s';
  alter role studio_console set client_connection_check_interval = '1s';
  alter role studio_graphql set client_connection_check_interval = '1s';
exception when invalid_parameter_value then
  null;
end
$$;

-- A service that vanished without a word (its machine is gone, the network cut) leaves its sessions behind: for half a
-- minute instead of the system's hours. Other systems than Linux would complain of these at each login.
do $$
declare
  login text;
begin
  if pg_catalog.version() like '%linux%' then
    foreach login in array array['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'] loop
      execute pg_catalog.format('alter role %I set tcp_keepalives_idle = 15', login);
      execute pg_catalog.format('alter role %I set tcp_keepalives_interval = 5', login);
      execute pg_catalog.format('alter role %I set tcp_keepalives_count = 3', login);
      execute pg_catalog.format('alter role %I set tcp_user_timeout = 30000', login);
    end loop;
  end if;
end
$$;

-- A connection pooler keeps the service's own limit from the server; where there is none, the service's comes first.
alter role studio_api set statement_timeout = '5s';
alter role studio_recorder set statement_timeout = '5s';
alter role studio_console set statement_timeout = '5s';
alter role studio_graphql set statement_timeout = '5s';
--! EndIncluded roles.sql
--! Included schemas.sql
-- The schemas and who may name what is in them. Run as the administrator.

create schema if not exists app authorization studio_owner;
create schema if not exists access authorization studio_owner;
create schema if not exists valuation authorization studio_owner;
create schema if not exists console authorization studio_owner;
create schema if not exists api_v1 authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema console is 'What the console''s pages may ask, each question in the session of a signed-in user.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- What an outsider may do is granted by name in grants/; nothing is given to everybody.
revoke all on schema public from public;
alter default privileges for role studio_owner revoke execute on functions from public;

grant usage on schema api_v1 to studio_api, studio_graphql, studio_analyst;
grant usage on schema access to studio_api, studio_graphql, studio_recorder;
grant usage on schema console to studio_console;
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

comment on function access.clock() is 'What is now and today for every rule about time.';
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
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  setting text;
begin
  if session_user in ('studio_api', 'studio_writer', 'studio_console', 'studio_graphql')
     or pg_catalog.pg_has_role(session_user, 'studio_owner', 'member') then
    setting := pg_catalog.current_setting('studio.id', true);
    -- Eight, four, four, four and twelve hexadecimal digits; a regular expression would take four times as long.
    if setting like '________-____-____-____-____________'
       and pg_catalog.translate(setting, '0123456789abcdef', '') = '----' then
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
--! Included access/functions/current_studio_mask.sql
-- The studio that this session may see, in the form that policies compare at no cost: an array with one element, true,
-- at the subscript that is the studio's studio_hash. Null when there is no studio, and then every element of it is null.
create or replace function access.current_studio_mask() returns boolean[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if studio is null then
    return null;
  end if;
  return pg_catalog.array_fill(true, array[1], array[pg_catalog.uuid_hash(studio) >> 1]);
end
$$;

comment on function access.current_studio_mask() is
  'The session''s studio as an array: true at the subscript that is its studio_hash; null when there is none.';
--! EndIncluded access/functions/current_studio_mask.sql
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
language sql stable security invoker
return case
  when subscription.status = 'active'
    or (subscription.status = 'trialing' and access.clock() < subscription.trial_ends_at)
    or (subscription.status in ('canceled', 'past_due') and access.clock() < subscription.current_period_end)
  then subscription.plan
end;

comment on function access.entitled_plan(access.subscriptions) is
  'The plan a subscription entitles to now: pro, pro_insure or studio; null when it includes no API access.';
--! EndIncluded access/functions/entitled_plan.sql
--! Included access/functions/api_plan.sql
-- The plan by which a studio may use the API at this moment; null when the plan includes none or the feature is off.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access"; "the public API is rolling out as a
-- paid-plan feature".
create or replace function access.api_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case when subscription.public_api then access.entitled_plan(subscription) end;

comment on function access.api_plan(access.subscriptions) is
  'The plan by which a studio may use the API now: pro, pro_insure or studio; null when it may not.';
--! EndIncluded access/functions/api_plan.sql
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
--   status      200, 401, 403 or 404; 304 when the version that the caller knows is still the version, and nothing was read
--   token_id    the token that was recognised; null with 401
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   total       number of matching records (lists only)
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     what answers depend on besides the question: the studio, its data version and its day. Null when this
--               answer is not what that version says (a part of it could not be had)
--   last_at, last_id  the key of the page's last row, after which the next page begins (long lists only)
do $$
begin
  if pg_catalog.to_regtype('access.answer') is null then
    create type access.answer as (
      status smallint,
      token_id uuid,
      plan_tier text,
      total bigint,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      last_at timestamptz,
      last_id uuid
    );
  end if;
end
$$;

comment on type access.answer is 'What an operation of the API returns: status, token, plan, total, JSON text, photo keys.';
--! EndIncluded access/functions/answer.sql
--! Included access/functions/data_version.sql
-- What the answers for a studio depend on besides the question, as a text: the studio, its data version, today's date there.
-- Two answers to one question that have the same version are the same.
create or replace function access.data_version(studio app.studios) returns text
language sql stable security invoker
return studio.id || '/'
  || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = studio.id), 0) || '/'
  || (access.clock() at time zone studio.timezone)::date;

comment on function access.data_version(app.studios) is 'The version of everything the API may answer for a studio.';
--! EndIncluded access/functions/data_version.sql
--! Included access/functions/authenticate_token.sql
-- Authenticates a token: one look-up by the digest of the whole token, the membership of its effective user and the plan,
-- all at this moment. status 401: unknown or revoked, or its effective user is no current member. 403: the plan includes no API
-- access. 304: all is well, and the validator is the version of this moment. 200: all is well.
--   validator  the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.authenticate_token(token_digest bytea, validator text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.id, t.studio_id, access.api_plan(s), access.data_version(studio)
  into answer.token_id, answer.studio_id, answer.plan_tier, answer.version
  from access.tokens t
  join app.studios studio on studio.id = t.studio_id
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  answer.status := case
    when answer.token_id is null then 401
    when answer.plan_tier is null then 403
    when answer.version = validator then 304
    else 200
  end;
  return answer;
end
$$;

comment on function access.authenticate_token(bytea, text) is
  'Authenticates a token by the sha256 digest of its text: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/authenticate_token.sql
--! Included access/functions/authenticate_tokens.sql
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none): in
-- their order, what access.authenticate_token() says of each. Nothing is read and no session is opened.
create or replace function access.authenticate_tokens(token_digests bytea[], validators text[]) returns setof access.answer
language sql stable security definer
set search_path = ''
begin atomic
  select answered.*
  from unnest(token_digests, validators) with ordinality as asked (digest, validator, place)
  cross join lateral access.authenticate_token(asked.digest, asked.validator) as answered
  order by asked.place;
end;

comment on function access.authenticate_tokens(bytea[], text[]) is 'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included access/functions/open_session.sql
-- Authenticates a token as access.authenticate_token() does and, when that says 200, opens its studio's session for the
-- rest of the transaction.
create or replace function access.open_session(token_digest bytea, validator text default null) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer := access.authenticate_token(token_digest, validator);
begin
  if answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/open_analyst_session.sql
-- Checks what an analyst whose identity was verified outside may do, and opens the studio's session for the rest of the
-- transaction: the membership and the plan, both at this moment, so that a removed member reads nothing from the next
-- request on. The person is named by user id, else by e-mail (ASCII in any case); a session without a person is refused.
-- status 401: no current member of the studio. 403: the plan includes no access. 200: the session is open.
-- spec: "Results are scoped to the studio that the token's effective user belongs to. A caller never sees another
-- studio's data."
create or replace function access.open_analyst_session(studio_id uuid, user_id uuid, email text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.members m
  join access.users u on u.id = m.user_id
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = open_analyst_session.studio_id
    and case
      when open_analyst_session.user_id is not null then u.id = open_analyst_session.user_id
      else pg_catalog.lower(u.email collate "C") = pg_catalog.lower(open_analyst_session.email collate "C")
    end;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_analyst_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_analyst_session(uuid, uuid, text) is
  'Checks the membership and the plan of an analyst and opens the studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_analyst_session.sql
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
--! Included valuation/functions/same_inputs.sql
-- Whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return not (
  before.category is distinct from after.category
  or before.purchase_price is distinct from after.purchase_price
  or before.acquisition_date is distinct from after.acquisition_date
  or before.depreciation_method is distinct from after.depreciation_method
  or before.useful_life_months is distinct from after.useful_life_months
  or before.residual_value is distinct from after.residual_value
  or before.manual_value is distinct from after.manual_value
  or before.replacement_cost is distinct from after.replacement_cost
  or before.reported_insured_value is distinct from after.reported_insured_value
  or before.market_value is distinct from after.market_value
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
  -- What PostgreSQL generates it computes after this, so that it would look changed.
  new.studio_hash := old.studio_hash;
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
-- Moves the data version of some studios, each in a slot that no other open transaction uses. The step is random: a database
-- that was restored, or that took over from another, does not come to the same number with other data.
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  step bigint := 1 + pg_catalog.floor(pg_catalog.random() * 1e9)::bigint;
begin
  foreach studio in array studios loop
    update app.data_versions d set version = d.version + step
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      insert into app.data_versions as held (studio_id, slot, version)
      values (studio, pg_catalog.pg_backend_pid() % 32767, step)
      on conflict (studio_id, slot) do update set version = held.version + step;
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
-- Trigger: stores the canonical spelling of the category and refuses what is no category; determines the coverage state
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
  -- without studio_hash, which is generated, and in no slot yet
  differences app.item_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select c.studio_id, null::integer, c.category, coalesce(c.coverage_state, ''), 0::smallint, count(*)
      from changed c where c.archived_at is null group by 1, 3, 4
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select b.studio_id, null::integer, b.category, coalesce(b.coverage_state, ''), 0::smallint, -count(*)
      from before b where b.archived_at is null group by 1, 3, 4
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.item_counts) into differences from (
      select u.studio_id, null::integer, u.category, coalesce(u.coverage_state, ''), 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
        union all
        select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
      ) as u
      group by 1, 3, 4 having sum(u.difference) <> 0
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
set plan_cache_mode = 'force_generic_plan' -- planning costs more than the work
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(c.id) into item_ids
  from changed c join before b on b.studio_id = c.studio_id and b.id = c.id
  where (b.name, b.archived_at is null) is distinct from (c.name, c.archived_at is null);
  if item_ids is not null then
    -- No join: the planner would read every record of the studio for it.
    update app.maintenance_records m
    set (item_name, item_archived) = (
      select i.name, i.archived_at is not null from app.items i where i.studio_id = m.studio_id and i.id = m.item_id)
    where m.studio_id = (select access.current_studio_id()) and m.item_id = any (item_ids);
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
  -- without studio_hash, which is generated, and in no slot yet
  differences app.maintenance_counts[];
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select c.studio_id, null::integer, c.status, 0::smallint, count(*) from changed c where not c.item_archived group by 1, 3
    ) as d;
  elsif tg_op = 'DELETE' then
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select b.studio_id, null::integer, b.status, 0::smallint, -count(*) from before b where not b.item_archived group by 1, 3
    ) as d;
  else
    select pg_catalog.array_agg(row(d.*)::app.maintenance_counts) into differences from (
      select u.studio_id, null::integer, u.status, 0::smallint, sum(u.difference)
      from (
        select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
        union all
        select b.studio_id, b.status, -1 from before b where not b.item_archived
      ) as u
      group by 1, 3 having sum(u.difference) <> 0
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
--   pg_temp.import_rows        the rows of a file: the table's own columns and, before them, what is known of a row until it
--                              is resolved: references as they are written, the existing row with its key (existing_id),
--                              what the import changes (change: new, changed or same)
--   pg_temp.import_row_errors  what is wrong with them
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
    select null::bigint as line, null::text[] as invalid_columns, null::text as change, null::uuid as existing_id,
      null::text as location, null::text as parent, null::text as item, null::text as policy, null::boolean as archived,
      null::text as file, null::text as item_in_name, null::smallint as position_in_name,
      t.*
    from app.%I t with no data', target);
  execute 'create temporary table import_row_errors (
    line bigint, column_name text, value text, problem text not null, remedy text
  ) on commit drop';
  execute 'grant select, insert, update on pg_temp.import_rows to studio_writer';
  execute 'grant select, insert on pg_temp.import_row_errors to studio_writer';
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
--! Included app/policies.sql
-- Who sees which rows of app: one policy a table, all with the same two expressions.
--
-- TO PUBLIC: a policy TO a role could be removed by that role (DROP OWNED BY). The index is searched by the first
-- comparison. The second one costs nothing, so the planner places it before every condition of a reader's (sql/README.md);
-- the logins whose statements are all ours do without it. audit.policy_not_comparing_studio_id has a copy of the
-- expressions, to check what is installed here.
do $$
declare
  policy record;
begin
  for policy in
    select p.relation, p.name
    from (values
      ('locations', 'A studio''s locations are seen and written by that studio alone'),
      ('items', 'A studio''s items are seen and written by that studio alone'),
      ('item_photos', 'A studio''s item photos are seen and written by that studio alone'),
      ('item_valuations', 'A studio''s item valuations are seen and written by that studio alone'),
      ('item_counts', 'A studio''s item counts are seen and written by that studio alone'),
      ('market_values', 'A studio''s market values are seen and written by that studio alone'),
      ('maintenance_records', 'A studio''s maintenance records are seen and written by it alone'),
      ('maintenance_counts', 'A studio''s maintenance counts are seen and written by it alone'),
      ('policies', 'A studio''s policies are seen and written by that studio alone'),
      ('policy_assignments', 'A studio''s policy assignments are seen and written by it alone')
    ) as p (relation, name)
  loop
    execute pg_catalog.format('drop policy if exists %I on app.%I', policy.name, policy.relation);
    execute pg_catalog.format($policy$
      create policy %I on app.%I as permissive for all to public
        using (
          studio_id = (select access.current_studio_id())
          and (
            (select session_user in ('studio_api', 'studio_writer'))
            or (select access.current_studio_mask())[studio_hash]
          )
        )
        with check (studio_id = (select access.current_studio_id()))
      $policy$, policy.name, policy.relation);
  end loop;
end
$$;
--! EndIncluded app/policies.sql

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
  on conflict (lower(email collate "C")) do update set email = u.email
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
  -- studio_hash is unique, so that the policies can place a comparison of it before everything else. An id whose hash is
  -- taken (of a million studios, one in two thousand meets one) is tried again.
  while studio is null loop
    insert into app.studios as s (name, timezone, currency)
    values (create_studio.name, create_studio.timezone, create_studio.currency)
    on conflict (studio_hash) do nothing
    returning s.id into studio;
  end loop;
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
--! Included access/functions/set_public_api.sql
-- Turns the public API on or off for a studio: off, no token is issued or accepted and the console has no page for them.
-- Raises SI404 for a studio without a subscription.
-- spec: "a tab shown only when the public API feature is enabled".
create or replace function access.set_public_api(studio_id uuid, enabled boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update access.subscriptions s set public_api = set_public_api.enabled where s.studio_id = set_public_api.studio_id;
  if not found then
    raise exception 'the studio has no subscription' using errcode = 'SI404';
  end if;
end
$$;

comment on function access.set_public_api(uuid, boolean) is
  'Turns the public API on or off for a studio; it takes effect with the next request.';
--! EndIncluded access/functions/set_public_api.sql
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
-- The id of the user with this e-mail. Raises SI404 when there is none. Here and wherever an e-mail is looked for the case
-- of ASCII letters does not matter and everything else does (collate "C"): other letters may become ASCII when the locale
-- folds their case, and would then be somebody else's.
create or replace function access.find_user(email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select u.id into person from access.users u
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(find_user.email collate "C");
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
  public_api boolean;
  issued access.tokens;
begin
  if coalesce(pg_catalog.char_length(issue_token.name), 0) not between 1 and 100 then
    raise exception 'a token needs a name of 1 to 100 characters' using errcode = '22023';
  end if;
  if issue_token.name !~ '\S' then
    raise exception 'a token needs a name that can be seen' using errcode = '22023';
  end if;

  perform from access.members m
  where m.studio_id = issue_token.studio_id and m.user_id = issue_token.issued_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can create a token' using errcode = '42501';
  end if;

  select access.api_plan(s), s.public_api into plan, public_api
  from access.subscriptions s where s.studio_id = issue_token.studio_id;
  if not public_api then
    raise exception 'the public API is off for this studio' using errcode = 'SI402';
  end if;
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
--! Included access/functions/display_name.sql
-- How a person is named where people read it: by name, or by e-mail when none was given. Null for null.
create or replace function access.display_name(person access.users) returns text
language sql immutable security invoker
return coalesce(nullif(person.name, ''), person.email);

comment on function access.display_name(access.users) is 'The name of a person, or the e-mail when there is none.';
--! EndIncluded access/functions/display_name.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it acts as its issuer
--   refused_for_issuer whether requests are refused because the one it acts as is no member any more
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, issued_by_name text, scope_email text, scope_name text,
  former_scope_name text, refused_for_issuer boolean,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer), scoped.email, access.display_name(scoped),
    access.display_name(former),
    t.revoked_at is null and t.scope_user_id is null and not exists (
      select from access.members m where m.studio_id = t.studio_id and m.user_id = t.issued_by
    ),
    t.created_at, t.last_used_at, t.revoked_at
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  left join access.audit_log issuance
    on issuance.studio_id = t.studio_id and issuance.token_id = t.id and issuance.event = 'token.issued'
    and t.scope_user_id is null
  left join access.users former on former.id = issuance.scope_user_id
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

  -- Materialized, or the hundredth would be looked for again for each row that may be older.
  with hundredth as materialized (
    select t.studio_id, t.id as token_id, newest.at, newest.id
    from access.tokens t, lateral (
      select kept.at, kept.id
      from access.request_activity kept
      where kept.studio_id = t.studio_id and kept.token_id = t.id
      order by kept.at desc, kept.id desc
      offset 99 limit 1
    ) as newest
    where t.id = any (token_ids)
  )
  delete from access.request_activity a
  using hundredth h
  where a.studio_id = h.studio_id and a.token_id = h.token_id and (a.at, a.id) < (h.at, h.id);
end
$$;

comment on function access.record_activity(uuid[], timestamptz[], text[], smallint[], real[]) is
  'Records a batch of requests, moves the tokens'' last use and keeps the newest 100 requests of each.';
--! EndIncluded access/functions/record_activity.sql

-- What the console's pages may ask
--! Included console/functions/signed_in.sql
-- The user of a console session; the session is named by the sha256 digest of its secret, which stays in the browser.
-- Raises SI401 when there is no such session or it has expired.
create or replace function console.signed_in(session_digest bytea) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select s.user_id into person from access.console_sessions s
  where s.digest = session_digest and s.expires_at > pg_catalog.now();
  if person is null then
    raise exception 'nobody is signed in' using errcode = 'SI401';
  end if;
  return person;
end
$$;

comment on function console.signed_in(bytea) is 'The user of a console session.';
--! EndIncluded console/functions/signed_in.sql
--! Included console/functions/membership.sql
-- The membership by which a session's user may see a studio's tokens, read at this moment.
-- Raises SI401 without a session, and SI404 alike for a studio that does not exist, that the user is no member of, and
-- for which the public API is off.
-- spec: "API tokens settings, a tab shown only when the public API feature is enabled"; "members get a read-only view".
create or replace function console.membership(session_digest bytea, studio_id uuid) returns access.members
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  held access.members;
begin
  select m.* into held from access.members m
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api
  where m.studio_id = membership.studio_id and m.user_id = person;
  if held.user_id is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  return held;
end
$$;

comment on function console.membership(bytea, uuid) is
  'The membership by which a session''s user may see a studio''s tokens.';
--! EndIncluded console/functions/membership.sql
--! Included console/functions/manager.sql
-- The session's user, who must be an owner or admin of the studio at this moment.
-- Raises what console.membership raises, and 42501 for a member.
-- spec: "Owners and admins can create and revoke tokens; members get a read-only view".
create or replace function console.manager(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  held access.members := console.membership(session_digest, studio_id);
begin
  if held.role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return held.user_id;
end
$$;

comment on function console.manager(bytea, uuid) is 'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/manager.sql
--! Included console/functions/use_once.sql
-- Takes note that something sealed was used; false when it was used before. It is remembered until it expires by itself.
--   used     sha256 of what was sealed
--   expires  until when it could be used
create or replace function console.use_once(used bytea, expires timestamptz) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from access.console_assertions a where a.expires_at < pg_catalog.now();
  insert into access.console_assertions (digest, expires_at) values (used, expires) on conflict do nothing;
  return found;
end
$$;

comment on function console.use_once(bytea, timestamptz) is
  'Takes note that something sealed was used; false when it was used before.';
--! EndIncluded console/functions/use_once.sql
--! Included console/functions/sign_in.sql
-- Opens a console session for the user with an e-mail that a trusted issuer has vouched for.
--   assertion_digest   sha256 of the bytes that the issuer signed; they open one session only
--   assertion_expires  until when the assertion could be used
--   session_digest     sha256 of the session's secret
-- Raises SI404 for an e-mail of nobody, SI409 for an assertion that was used before.
create or replace function console.sign_in(
  email text, assertion_digest bytea, assertion_expires timestamptz, session_digest bytea, expires timestamptz
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  delete from access.console_sessions s where s.expires_at < pg_catalog.now();
  if not console.use_once(assertion_digest, assertion_expires) then
    raise exception 'this sign-in was used before' using errcode = 'SI409';
  end if;
  select u.id into person from access.users u
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(sign_in.email collate "C");
  if person is null then
    raise exception 'nobody here has this e-mail' using errcode = 'SI404';
  end if;
  insert into access.console_sessions (digest, user_id, expires_at) values (session_digest, person, expires);
end
$$;

comment on function console.sign_in(text, bytea, timestamptz, bytea, timestamptz) is
  'Opens a console session for a user that a trusted issuer has vouched for.';
--! EndIncluded console/functions/sign_in.sql
--! Included console/functions/sign_out.sql
-- Ends a console session: whoever kept its secret can do nothing with it. Ending none changes nothing.
create or replace function console.sign_out(session_digest bytea) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.console_sessions s where s.digest = sign_out.session_digest;
end;

comment on function console.sign_out(bytea) is 'Ends a console session.';
--! EndIncluded console/functions/sign_out.sql
--! Included console/functions/list_studios.sql
-- The studios that a session's user is a current member of, by name, with what the pages about them need.
--   public_api   whether the studio has API tokens at all
--   may_manage   whether the user is an owner or admin
--   plan         the plan by which tokens can be created now; null when there is none
-- No row without a session: so an unknown cookie costs no failed statement.
create or replace function console.list_studios(session_digest bytea) returns table (
  studio_id uuid, name text, role text, public_api boolean, may_manage boolean, plan text,
  user_id uuid, user_name text, user_email text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      studio.id, studio.name, m.role, coalesce(s.public_api, false), m.role in ('owner', 'admin'), access.api_plan(s),
      u.id, access.display_name(u), u.email
    from access.console_sessions session
    join access.users u on u.id = session.user_id
    left join access.members m on m.user_id = u.id
    left join app.studios studio on studio.id = m.studio_id
    left join access.subscriptions s on s.studio_id = m.studio_id
    where session.digest = session_digest and session.expires_at > pg_catalog.now()
    order by pg_catalog.lower(studio.name), studio.id;
end
$$;

comment on function console.list_studios(bytea) is
  'The studios of a session''s user; one row with a null studio for somebody who is a member of none.';
--! EndIncluded console/functions/list_studios.sql
--! Included console/functions/list_tokens.sql
-- The tokens of a studio as its members see them, newest first; see access.list_tokens.
-- Raises what console.membership raises.
create or replace function console.list_tokens(session_digest bytea, studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_name text, scope_name text, former_scope_name text,
  refused_for_issuer boolean, created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, list_tokens.studio_id);
  return query
    select t.token_id, t.name, t.prefix, t.issued_by_name, t.scope_name, t.former_scope_name, t.refused_for_issuer,
      t.created_at, t.last_used_at, t.revoked_at
    from access.list_tokens(list_tokens.studio_id) t;
end
$$;

comment on function console.list_tokens(bytea, uuid) is 'The tokens of a studio as its members see them.';
--! EndIncluded console/functions/list_tokens.sql
--! Included console/functions/list_members.sql
-- The current members of a studio by name: whom a token can be scoped to. For owners and admins.
-- Raises what console.manager raises.
create or replace function console.list_members(session_digest bytea, studio_id uuid) returns table (
  user_id uuid, name text, email text, role text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_members.studio_id);
  return query
    select u.id, access.display_name(u), u.email, m.role
    from access.members m join access.users u on u.id = m.user_id
    where m.studio_id = list_members.studio_id
    order by pg_catalog.lower(access.display_name(u)), u.email;
end
$$;

comment on function console.list_members(bytea, uuid) is 'The current members of a studio, for its owners and admins.';
--! EndIncluded console/functions/list_members.sql
--! Included console/functions/token_activity.sql
-- The last 100 requests of a token, newest first, for members of its studio; see access.token_activity.
-- Raises what console.membership raises.
create or replace function console.token_activity(session_digest bytea, studio_id uuid, token_id uuid) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, token_activity.studio_id);
  return query select a.* from access.token_activity(token_activity.studio_id, token_activity.token_id) a;
end
$$;

comment on function console.token_activity(bytea, uuid, uuid) is 'The last 100 requests of a token.';
--! EndIncluded console/functions/token_activity.sql
--! Included console/functions/issue_token.sql
-- Issues a token for a studio in the name of the session's user; see access.issue_token, which checks role, plan and scope.
-- Raises what console.manager and access.issue_token raise.
create or replace function console.issue_token(
  session_digest bytea, studio_id uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.manager(session_digest, studio_id);
begin
  return query select t.* from access.issue_token(
    issue_token.studio_id, person, issue_token.name, issue_token.scope_user_id,
    issue_token.secret_prefix, issue_token.pro_digest, issue_token.studio_digest) t;
end
$$;

comment on function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea) is
  'Issues a token for a studio in the name of the session''s user.';
--! EndIncluded console/functions/issue_token.sql
--! Included console/functions/revoke_token.sql
-- Revokes a token in the name of the session's user; idempotent, see access.revoke_token.
-- Raises what console.manager and access.revoke_token raise.
create or replace function console.revoke_token(session_digest bytea, studio_id uuid, token_id uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.manager(session_digest, studio_id);
begin
  return query select t.* from access.revoke_token(revoke_token.studio_id, revoke_token.token_id, person) t;
end
$$;

comment on function console.revoke_token(bytea, uuid, uuid) is
  'Revokes a token in the name of the session''s user.';
--! EndIncluded console/functions/revoke_token.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins.
--   before  the id of the last entry of the page before; null for the newest
-- Raises what console.manager raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid, before bigint default null)
returns table (
  id bigint, at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text,
  scope_name text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_audit_log.studio_id);
  return query
    select l.id, l.at::timestamptz, l.event, access.display_name(actor), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped)
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    where l.studio_id = list_audit_log.studio_id and (before is null or l.id < before)
    order by l.id desc
    limit 100;
end
$$;

comment on function console.list_audit_log(bytea, uuid, bigint) is
  'A studio''s audit log, newest first, for its owners and admins.';
--! EndIncluded console/functions/list_audit_log.sql

-- Analysts' logins
--! Included access/functions/log_analyst.sql
-- Trigger: every change of who is mapped to which studio is kept, whoever makes it and by whatever road: a command, an
-- administrator's own hand, a member who leaves.
create or replace function access.log_analyst() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or (old.login, old.studio_id) is distinct from (new.login, new.studio_id)) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (old.login, 'unmapped', old.studio_id, old.user_id, session_user);
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or old is distinct from new) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (new.login, 'mapped', new.studio_id, new.user_id, session_user);
  end if;
  return null;
end
$$;

comment on function access.log_analyst() is 'Trigger: keeps every change of an analyst''s mapping in access.analyst_log.';
--! EndIncluded access/functions/log_analyst.sql
--! Included access/triggers/analyst_logins.sql
-- Who was mapped to which studio, from when to when, is kept for ever: a statement in the server's log stays attributable
-- when its login is long gone.
create or replace trigger log after insert or update or delete on access.analyst_logins
  for each row execute function access.log_analyst();
create or replace trigger append_only before update or delete on access.analyst_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.analyst_log
  for each statement execute function access.refuse_change();
--! EndIncluded access/triggers/analyst_logins.sql
--! Included access/functions/known_analyst.sql
-- The name of an analyst's login that this database has mapped. Raises SI404 for every other role of the server, and for
-- a login that is gone: who asks for an analyst to be changed or dropped must not hit anybody else.
create or replace function access.known_analyst(login text) returns name
language plpgsql stable security definer
set search_path = ''
as $$
declare
  known name;
begin
  select l.login into known from access.analyst_log l where l.login = known_analyst.login::name limit 1;
  if known is null
    or not exists (
      select from access.analyst_logins l where l.login = known
      union all
      select from pg_catalog.pg_roles r where r.rolname = known)
    or exists (
      select from pg_catalog.pg_roles r
      where r.rolname = known
        and (r.rolsuper or r.rolcreaterole or not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')))
  then
    raise exception 'there is no analyst''s login %', pg_catalog.quote_literal(known_analyst.login) using errcode = 'SI404';
  end if;
  return known;
end
$$;

comment on function access.known_analyst(text) is 'The name of an analyst''s login of this database; raises when there is none.';
--! EndIncluded access/functions/known_analyst.sql
--! Included access/functions/create_analyst.sql
-- Makes a login of studio_analyst with a name that tells nothing, and maps it to a studio. To be run by an administrator,
-- with whose rights it runs: only those who may create roles can do it.
--   user_id          whom it is for, a current member of the studio; null when it is for the studio as such
--   verifier         the SCRAM verifier of its password: the password itself reaches neither the server nor its log
--   statement_limit  how long a statement may run; a default that the analyst can change, and what the watchdog goes by
-- Returns the login, and the settings that this administrator may not make (temp_file_limit and log_statement need a
-- superuser, or the right to set them). What the analyst may read is the group's (grants/studio_analyst.sql).
-- Raises 22023 (a value), SI404 (no such studio, no such member), SI409 (too many connections).
create or replace function access.create_analyst(
  studio_id uuid, user_id uuid, verifier text, valid_until timestamptz, connections integer, statement_limit interval
) returns table (login name, not_set text[])
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  made name := 'analyst_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 12);
  most integer := pg_catalog.current_setting('max_connections')::integer / 2;
  held bigint;
  missing text[] := '{}';
  setting record;
begin
  if verifier !~ '^SCRAM-SHA-256\$\d+:' then
    raise exception 'the password has to be handed over as its SCRAM verifier' using errcode = '22023';
  elsif create_analyst.valid_until is null or create_analyst.valid_until <= pg_catalog.now() then
    raise exception 'valid_until must be in the future' using errcode = '22023';
  elsif connections is null or connections < 1 then
    raise exception 'an analyst''s login needs at least one connection' using errcode = '22023';
  elsif not exists (select from app.studios s where s.id = create_analyst.studio_id) then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif create_analyst.user_id is not null and not exists (
    select from access.members m where m.studio_id = create_analyst.studio_id and m.user_id = create_analyst.user_id)
  then
    raise exception 'the person the login is for is not a current member of the studio' using errcode = 'SI404';
  end if;

  -- So that the service always finds a connection: all analysts together may have half of what there are.
  lock table access.analyst_logins in share row exclusive mode;
  select coalesce(pg_catalog.sum(greatest(r.rolconnlimit, 0)), 0) into held
  from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
  where r.rolcanlogin and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now());
  if held + connections > most then
    raise exception 'analysts hold % of the % connections that they may have together', held, most using errcode = 'SI409',
      hint = 'Give fewer, drop logins that are not needed, or raise max_connections of the server: half of it is for analysts.';
  end if;

  execute pg_catalog.format(
    'create role %I login inherit connection limit %s password %L valid until %L in role studio_analyst',
    made, connections, verifier, create_analyst.valid_until);
  insert into access.analyst_logins (login, studio_id, user_id, statement_limit)
  values (made, create_analyst.studio_id, create_analyst.user_id, create_analyst.statement_limit);

  for setting in
    select s.name, s.value
    from (values
      -- Defaults: convenience for the well-meaning.
      ('search_path', 'api_v1'),
      ('default_transaction_read_only', 'on'),
      ('statement_timeout', pg_catalog.round(extract(epoch from create_analyst.statement_limit) * 1000)::text),
      ('idle_in_transaction_session_timeout', pg_catalog.round(extract(epoch from create_analyst.statement_limit) * 1000)::text),
      -- Out of the analyst's hands.
      ('temp_file_limit', '1GB'),
      ('log_statement', 'all')
    ) as s (name, value)
  loop
    begin
      execute pg_catalog.format('alter role %I set %I = %L', made, setting.name, setting.value);
    exception when insufficient_privilege then
      missing := missing || setting.name;
    end;
  end loop;
  return query select made, missing;
end
$$;

comment on function access.create_analyst(uuid, uuid, text, timestamptz, integer, interval) is
  'Makes an analyst''s login and maps it to a studio; for administrators.';
--! EndIncluded access/functions/create_analyst.sql
--! Included access/functions/rotate_analyst.sql
-- Gives an analyst's login another password and another end. To be run by an administrator, with whose rights it runs.
-- Returns the role's id: sessions opened with the old password are ended by access.end_sessions once this is committed.
-- Raises SI404 (no such login, or one that is mapped to no studio any more), 22023 (a value).
create or replace function access.rotate_analyst(login text, verifier text, valid_until timestamptz) returns oid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  mapping access.analyst_logins;
begin
  if verifier !~ '^SCRAM-SHA-256\$\d+:' then
    raise exception 'the password has to be handed over as its SCRAM verifier' using errcode = '22023';
  elsif valid_until is null or valid_until <= pg_catalog.now() then
    raise exception 'valid_until must be in the future' using errcode = '22023';
  end if;
  select l.* into mapping from access.analyst_logins l where l.login = known for update;
  if not found or not exists (select from pg_catalog.pg_roles r where r.rolname = known) then
    raise exception 'the login % is unmapped or was dropped: create another one', known using errcode = 'SI404';
  end if;
  execute pg_catalog.format('alter role %I password %L valid until %L', known, verifier, valid_until);
  insert into access.analyst_log (login, event, studio_id, user_id, done_by)
  values (known, 'rotated', mapping.studio_id, mapping.user_id, session_user);
  return (select r.oid from pg_catalog.pg_roles r where r.rolname = known);
end
$$;

comment on function access.rotate_analyst(text, text, timestamptz) is
  'Gives an analyst''s login another password and another end; for administrators.';
--! EndIncluded access/functions/rotate_analyst.sql
--! Included access/functions/drop_analyst.sql
-- Unmaps an analyst's login and drops it. To be run by an administrator, with whose rights it runs. From its commit on no
-- session can be opened, and one that is open sees no row; access.end_sessions then ends it.
-- A login to which somebody has granted more than its group cannot be dropped: then it stays, unmapped and without the
-- right to log in, and kept_because says why. Raises SI404 when there is no such login.
create or replace function access.drop_analyst(login text) returns table (role oid, kept_because text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  id oid := (select r.oid from pg_catalog.pg_roles r where r.rolname = known);
  reason text;
begin
  delete from access.analyst_logins l where l.login = known;
  if id is not null then
    execute pg_catalog.format('alter role %I nologin password null', known);
    begin
      execute pg_catalog.format('drop role %I', known);
    exception when dependent_objects_still_exist or insufficient_privilege then
      get stacked diagnostics reason = pg_exception_detail;
      reason := coalesce(nullif(reason, ''), sqlerrm);
    end;
  end if;
  return query select id, reason;
end
$$;

comment on function access.drop_analyst(text) is 'Unmaps an analyst''s login and drops it; for administrators.';
--! EndIncluded access/functions/drop_analyst.sql
--! Included access/functions/end_sessions.sql
-- Ends every session of a role, also of one that has just been dropped. Returns how many there were.
create or replace function access.end_sessions(role oid) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select pg_catalog.count(pg_catalog.pg_terminate_backend(a.pid))
    from pg_catalog.pg_stat_activity a
    where a.usesysid = role and a.pid <> pg_catalog.pg_backend_pid()
  );
end
$$;

comment on function access.end_sessions(oid) is 'Ends every session of a role.';
--! EndIncluded access/functions/end_sessions.sql
--! Included access/functions/list_analysts.sql
-- The analysts' logins that this database has ever mapped, newest first: of one studio, or of all (null).
--   state  active · expired (its end has passed, or it may not log in) · unmapped (it sees nothing) · dropped ·
--          missing (mapped, but its role was dropped by somebody else)
create or replace function access.list_analysts(studio_id uuid) returns table (
  login name, studio_name text, for_email text, state text, created_at timestamptz, created_by name,
  valid_until timestamptz, connections integer, sessions bigint, statement_limit interval
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    made.login, s.name, u.email,
    case
      when r.oid is null then case when l.login is null then 'dropped' else 'missing' end
      when l.login is null then 'unmapped'
      when not r.rolcanlogin or r.rolvaliduntil <= pg_catalog.now() then 'expired'
      else 'active'
    end,
    made.at, made.done_by, r.rolvaliduntil, r.rolconnlimit,
    (select pg_catalog.count(*) from pg_catalog.pg_stat_activity a where a.usesysid = r.oid),
    l.statement_limit
  from (
    select distinct on (g.login) g.login, g.studio_id, g.user_id, g.at, g.done_by
    from access.analyst_log g
    where g.event = 'mapped'
    order by g.login, g.id desc
  ) as made
  join app.studios s on s.id = made.studio_id
  left join access.users u on u.id = made.user_id
  left join access.analyst_logins l on l.login = made.login
  left join pg_catalog.pg_roles r on r.rolname = made.login
  where list_analysts.studio_id is null or made.studio_id = list_analysts.studio_id
  order by made.at desc, made.login;
end;

comment on function access.list_analysts(uuid) is 'The analysts'' logins that were ever mapped to a studio, newest first.';
--! EndIncluded access/functions/list_analysts.sql
--! Included access/functions/watch_analysts.sql
-- The watchdog: ends what analysts may not do but could, since most settings are theirs to change. Called by the service
-- every few seconds; calling it from several processes at once does no harm. Returns what it ended, and why.
--   a statement longer than its login's limit is cancelled, and its session ended when that does not help: a session that
--   waits for a client who does not read does not see a cancel
--   a transaction that is idle for as long, or ten times as old, keeps locks and old row versions: its session is ended
--   a transaction that holds a transaction id (ALTER ROLE of oneself takes one) delays what others may take for final: its
--   session is ended after ten seconds, or sooner where its statements may not take as long
--   nobody stays whose login is mapped to no studio, has passed its end, or has strayed to another database of the server
-- It sees members of studio_analyst alone, and needs what grants/studio_owner.sql gives to the owner. Raises 42501 without.
create or replace function access.watch_analysts() returns table (login name, pid integer, action text, reason text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  grace constant interval := interval '10 seconds';
begin
  if not (pg_catalog.pg_has_role('pg_signal_backend', 'usage') and pg_catalog.pg_has_role('pg_read_all_stats', 'usage')) then
    raise exception 'studio_owner may not see and end the sessions of analysts' using errcode = '42501',
      hint = 'As a superuser: grant pg_signal_backend, pg_read_all_stats to studio_owner';
  end if;

  for login, pid, action, reason in
    select
      checked.login, checked.pid, case checked.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      checked.reason
    from (
      select
        s.login, s.pid,
        case
          when s.studio_id is null then 'its login is mapped to no studio'
          when s.elsewhere then 'it is connected to another database'
          when s.expired then 'its login has expired'
          when s.holds_id and s.transaction > least(s.statement_limit, grace) then 'its transaction holds a transaction id'
          when s.transaction > 10 * s.statement_limit then 'its transaction is too old'
          when s.idle > s.statement_limit then 'its transaction is idle for too long'
          when s.statement > s.statement_limit + least(s.statement_limit, grace) then 'its statement went on after it was cancelled'
          when s.statement > s.statement_limit then 'its statement runs too long'
        end as reason
      from (
        select
          a.usename as login, a.pid, l.studio_id, l.statement_limit,
          a.datname is distinct from pg_catalog.current_database() as elsewhere,
          coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
          pg_catalog.clock_timestamp() - a.xact_start as transaction,
          a.backend_xid is not null as holds_id,
          case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
          case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement
        from pg_catalog.pg_stat_activity a
        join pg_catalog.pg_roles r on r.oid = a.usesysid
        left join access.analyst_logins l on l.login = a.usename
        where a.backend_type = 'client backend'
          and not r.rolsuper
          and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
          and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
          -- In another database, only our own: the others are that database's analysts.
          and (a.datname = pg_catalog.current_database() or l.login is not null)
      ) as s
    ) as checked
    where checked.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    return next;
  end loop;
end
$$;

comment on function access.watch_analysts() is
  'Ends statements and sessions of analysts that go beyond their limits; returns which, and why.';
--! EndIncluded access/functions/watch_analysts.sql
--! Included access/functions/misdirected_analysts.sql
-- The analysts' logins that are mapped otherwise than the commands map them, by what access.analyst_log has kept: a login
-- is mapped once, when it is made, and never to another studio. For the audit, whose reader sees neither of the tables:
-- it returns names of logins and nothing of a studio.
create or replace function access.misdirected_analysts() returns table (login name, reason text)
language sql stable security definer
set search_path = ''
begin atomic
  select checked.login, checked.reason
  from (
    select
      l.login,
      case
        when r.oid is null then 'has no role: whoever makes one of that name sees the studio'
        when not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member') then 'is no member of studio_analyst'
        when not exists (select from access.analyst_log g where g.login = l.login and g.event = 'mapped')
          then 'was mapped past the log'
        when exists (
          select from access.analyst_log g
          where g.login = l.login and g.event = 'mapped' and g.studio_id <> l.studio_id)
          then 'was first mapped to another studio'
      end as reason
    from access.analyst_logins l
    left join pg_catalog.pg_roles r on r.rolname = l.login
  ) as checked
  where checked.reason is not null;
end;

comment on function access.misdirected_analysts() is
  'Analysts'' logins that are mapped otherwise than access.analyst_log says; for the audit.';
--! EndIncluded access/functions/misdirected_analysts.sql

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
comment on column api_v1.items.id is 'Unique item id: the key of this view.';
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
comment on column api_v1.items.location_id is 'Where the item is, joins locations.id; null when no location is set.';
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
comment on column api_v1.locations.id is 'Unique location id: the key of this view.';
comment on column api_v1.locations.name is 'Name of the location.';
comment on column api_v1.locations.description is 'Free text; null when not recorded.';
comment on column api_v1.locations.type is 'site, room, storage, rack, vehicle, offsite or other; null when not recorded.';
comment on column api_v1.locations.parent_id is 'The location this one is part of, joins locations.id; null at the top.';
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
comment on column api_v1.maintenance.id is 'Unique id of the record: the key of this view.';
comment on column api_v1.maintenance.item_id is 'The item that is maintained, joins items.id.';
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
--
-- The condition is always true and is there so that there is one: a view without any becomes a part of a reader's UNION
-- ALL, and there the planner places the reader's conditions before those of the policy (docs/row-level-security.md).
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
from app.policies p
where p.studio_id is not null;

comment on view api_v1.policies is 'The studio''s insurance policies, archived and expired ones included.';
comment on column api_v1.policies.id is 'Unique policy id: the key of this view.';
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
comment on column api_v1.assignments.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.assignments.policy_id is 'The policy, joins policies.id.';
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
--! Included api_v1/views/relationships.sql
-- Which views can be joined by which columns. PostgreSQL declares no keys on views, so no tool can find them in the
-- catalog; here a person or a script can, and each column says the same in its comment. Like every view it is empty for whom there is no
-- studio.
create or replace view api_v1.relationships with (security_invoker = true) as
select r.view_name, r.column_name, r.refers_to_view, r.refers_to_column, r.may_be_null, r.note
from (values
  ('items', 'location_id', 'locations', 'id', true, 'On the Pro plan only the default location is shown.'),
  ('locations', 'parent_id', 'locations', 'id', true, 'The location that this one is part of.'),
  ('maintenance', 'item_id', 'items', 'id', false, 'Every record finds its item.'),
  ('assignments', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('assignments', 'policy_id', 'policies', 'id', false, 'Every assignment finds its policy.')
) as r (view_name, column_name, refers_to_view, refers_to_column, may_be_null, note)
where (select access.current_studio_id()) is not null;

comment on view api_v1.relationships is 'Which views can be joined by which columns; each id is unique in its view.';
comment on column api_v1.relationships.view_name is 'The view that refers to another.';
comment on column api_v1.relationships.column_name is 'The column that refers.';
comment on column api_v1.relationships.refers_to_view is 'The view that is referred to.';
comment on column api_v1.relationships.refers_to_column is 'Its key, unique there.';
comment on column api_v1.relationships.may_be_null is 'Whether the referring column can be null: then a left join keeps all rows.';
comment on column api_v1.relationships.note is 'What to know when joining.';
--! EndIncluded api_v1/views/relationships.sql
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
declare
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from api_v1.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
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
-- filter, so that each uses the index made for it. A deep page begins after the last row of the page before it, whose key
-- the caller may know (cursor_*); otherwise it is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   validator       see access.authenticate_token()
--   cursor_version, cursor_total, cursor_at, cursor_id  a keyset cursor: version, total and last key of an answer that was
--                   the page before this one to the same question; not used when that version is not the version of this
--                   moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint := 0;
  after_at timestamptz := 'infinity';
  after_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_items(category, coverage_state, updated_since)
  end;
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  if cursor_version = answer.version then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := (page - 1) * per_page;
  end if;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/valued_item.sql
-- The document of an item with its valuation as further members, in JSON text. Values that are null are there as null.
-- spec: Item object, "Detail only".
create or replace function api_v1.valued_item(
  document text, current_estimated_value numeric, value_source text, coverage_state text, gap_amount numeric
) returns text
language sql stable security invoker
return left(document, -1) || ',' || substr(
  row_to_json((select valued from (
    select current_estimated_value, value_source, null as agreed_value_from_policy, coverage_state, gap_amount
  ) as valued))::text, 2);

comment on function api_v1.valued_item(text, numeric, text, text, numeric) is
  'The document of an item with its valuation as further members.';
--! EndIncluded api_v1/functions/valued_item.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If signing photos fails,
-- photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  valuation record;
begin
  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select api_v1.valued_item(d.document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount)
  into answer.data
  from api_v1.item_documents d where d.id = id;

  begin
    answer.photo_keys := array(
      select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql
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
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select whole.data, whole.photo_keys into answer.data, answer.photo_keys from (
      select api_v1.valued_item(d.document, v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount) as data,
        array(select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id) as photo_keys
      from api_v1.item_documents d
      left join api_v1.item_valuations v on v.item_id = id
      where d.id = id
    ) as whole;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid) is 'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(token_digest bytea, id uuid, validator text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
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

comment on function api_v1.list_item_policies(bytea, uuid, text) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match.
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.locations l where l.updated_at >= since order by l.updated_at desc, l.id desc) as newer);
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

comment on function api_v1.list_locations(bytea, bigint, integer, timestamptz, text) is
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
declare
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
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
      where c.status = counted_status);
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
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  skipped bigint := 0;
  after_at timestamptz := 'infinity';
  after_id uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since)
  end;
  if answer.total = 0 or page - 1 > (answer.total - 1) / per_page then
    return answer;
  end if;
  if cursor_version = answer.version then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := (page - 1) * per_page;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.string_agg(p.document, ','), pg_catalog.min(p.updated_at), (pg_catalog.array_agg(p.id))[count(*)]
    into answer.data, answer.last_at, answer.last_id
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page) as p;
  end if;
  return answer;
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/list_policies.sql
-- GET /policies: one page of the policies that are active today, most recently started first, and their number.
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.policies p where p.active and p.updated_at >= since
    order by p.effective_start desc, p.id desc) as active);
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

comment on function api_v1.list_policies(bytea, bigint, integer, timestamptz, text) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted.
-- 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(token_digest bytea, id uuid, validator text default null)
returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
    assignments := 0;
    answer.version := null;
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

comment on function api_v1.get_policy(bytea, uuid, text) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(token_digest bytea, validator text default null) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest, validator);
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

comment on function api_v1.get_account(bytea, text) is 'GET /account: plan tier, billing period, number of items.';
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
-- The roles through which somebody outside reaches the data. What a login may do beyond its group is checked by the
-- grants themselves (audit.column_grant_beyond_the_list).
create or replace view audit.exposed_roles with (security_invoker = true) as
select r.oid as role, r.rolname as name
from pg_catalog.pg_roles r
where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql',
  'studio_analyst', 'studio_auditor');

comment on view audit.exposed_roles is 'The roles through which somebody outside reaches the data.';
--! EndIncluded audit/views/exposed_roles.sql
--! Included audit/views/memberships.sql
-- Who can act as whom, directly or by way of others. A membership that only lets its holder make others members is none;
-- before version 16 every membership could be used.
create or replace view audit.memberships with (security_invoker = true) as
with recursive usable (member, role) as (
  select m.member, m.roleid
  from pg_catalog.pg_auth_members m
  where coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
     or coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
), reached (member, role) as (
  select u.member, u.role from usable u
  union
  select r.member, u.role from reached r join usable u on u.member = r.role
)
select r.member, r.role from reached r;

comment on view audit.memberships is 'Who can act as whom, directly or by way of others.';
--! EndIncluded audit/views/memberships.sql
--! Included audit/views/outsiders.sql
-- The exposed roles, and every login or group that can act as one. Administrators (superusers, and who may create roles)
-- who can are left out: they can become anybody.
create or replace view audit.outsiders with (security_invoker = true) as
select e.role, e.name, true as exposed
from audit.exposed_roles e
union all
select r.oid, r.rolname, false
from pg_catalog.pg_roles r
where not r.rolsuper and not r.rolcreaterole and r.rolname <> 'studio_owner'
  and r.oid not in (select e.role from audit.exposed_roles e)
  and exists (
    select from audit.memberships m
    where m.member = r.oid and m.role in (select e.role from audit.exposed_roles e));

comment on view audit.outsiders is 'The exposed roles, and everybody but administrators who can act as one.';
--! EndIncluded audit/views/outsiders.sql
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
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
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
--! Included audit/views/safe_versions.sql
-- The first minor version of each major that has the fixes on which the isolation of studios relies; older majors than
-- these have none, later ones have them all.
create or replace view audit.safe_versions with (security_invoker = true) as
select v.major, v.minor
from (values (15, 20), (16, 16), (17, 12), (18, 6)) as v (major, minor);

comment on view audit.safe_versions is 'The first safe minor version of each major version of PostgreSQL.';
--! EndIncluded audit/views/safe_versions.sql
--! Included audit/views/closed_functions.sql
-- Functions of the server that everybody may call in a new database, and nobody outside may call here: closed by
-- grants/database.sql, watched by audit.catalog_function_open. `observes` are those that tell what other sessions do; who
-- watches the server (pg_read_all_stats) keeps them.
create or replace view audit.closed_functions with (security_invoker = true) as
select
  p.oid as function, p.proname as name,
  pg_catalog.format('pg_catalog.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as signature,
  closed.observes,
  closed.why
from (values
  ('^(lo_|loread$|lowrite$)', false, 'Large objects are rows outside row-level security.'),
  ('^pg_(try_)?advisory_', false, 'An advisory lock holds up others.'),
  ('^pg_sleep', false, 'A sleep keeps a connection for nothing.'),
  ('^(pg_notify|pg_logical_emit_message)$', false, 'Messages reach other sessions and fill the disk.'),
  ('^pg_export_snapshot$', false, 'A snapshot is a file on the server, and holds back the removal of old rows.'),
  ('^(pg_current_xact_id|txid_current)$', false, 'A transaction id that is held delays what others may take for final.'),
  -- A count of rows stays: tools ask for it, and pg_class.reltuples tells it anyway.
  ('^pg_stat_get_(?!live_tuples$)', true, 'Statistics tell when another studio''s request came, and by which filter.'),
  ('^pg_(lock_status|prepared_xact|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked)$', true,
    'Locks tell what other sessions do at this moment.'),
  ('^(pg_xact_status|txid_status|pg_get_multixact_members)$', true, 'They tell what became of others'' transactions.'),
  ('^pg_(current_wal_|last_|control_|get_replication_slots$|walfile_name|xact_commit_timestamp|get_wal_summarizer_state$|'
    'available_wal_summaries$|wal_summary_contents$)', true,
    'Positions in the log tell how much others write, and when.')
) as closed (pattern, observes, why)
join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ closed.pattern;

comment on view audit.closed_functions is 'Functions of the server that nobody outside may call here.';
--! EndIncluded audit/views/closed_functions.sql
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
-- Permissive policies that let a row pass by anything else than its studio. Checked by the expression as the server
-- prints it and by the functions it depends on, so that others of the same names do not pass.
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
    '(select access.current_studio_mask())[studio_hash])) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '\maccess\.', '', 'g') as visible,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), '\maccess\.', '', 'g') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(( SELECT current_studio_mask() AS current_studio_mask))[studio_hash]))' as shown,
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
   -- Whatever search path it is printed by: these functions and no other, nor an operator of somebody's own.
   or exists (
     select from pg_catalog.pg_depend d
     where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
       and (d.refclassid = 'pg_catalog.pg_operator'::regclass
         or d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid not in (
           select f.oid from pg_catalog.pg_proc f
           join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
           where fn.nspname = 'access' and f.proname in ('current_studio_id', 'current_studio_mask') and f.pronargs = 0)));

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
--! EndIncluded audit/rules/policy_not_comparing_studio_id.sql
--! Included audit/rules/studio_hash_not_exact.sql
-- Tables with row-level security within reach, and app.studios, in which studio_hash does not stand for exactly one studio:
-- it is missing, made from something else, or may be that of two studios.
create or replace view audit.studio_hash_not_exact with (security_invoker = true) as
select
  'studio_hash_not_exact' as rule,
  'error' as level,
  t.name as object,
  case
    when t.made is null then 'has no generated column studio_hash'
    when t.made <> t.expected then 'makes studio_hash from ' || t.made
    else 'takes two studios with one studio_hash'
  end as finding,
  'The policies let a row come before a reader''s conditions when its studio_hash is the session''s studio''s: when two '
    'studios share one, EXPLAIN ANALYZE and time tell what the other has.' as why,
  case
    when t.made = t.expected then pg_catalog.format('alter table %s add unique (studio_hash);', t.name)
    else pg_catalog.format('Make the column anew: alter table %s add column studio_hash integer not null '
      'generated always as %s stored;', t.name, t.expected)
  end as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name, c.oid as relation,
    n.nspname = 'app' and c.relname = 'studios' as is_studios,
    case when n.nspname = 'app' and c.relname = 'studios' then '(uuid_hash(id) >> 1)'
      else '(uuid_hash(studio_id) >> 1)' end as expected,
    (select pg_catalog.pg_get_expr(d.adbin, d.adrelid)
     from pg_catalog.pg_attribute a
     join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = c.oid and a.attname = 'studio_hash' and a.attgenerated = 's') as made
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (n.nspname = 'app' and c.relname = 'studios')
     or c.oid in (select e.relation from audit.exposed_tables e where e.enabled)
        and exists (
          select from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and a.attname = 'studio_id' and not a.attisdropped)
) as t
where t.made is distinct from t.expected
   or t.is_studios and not exists (
     select from pg_catalog.pg_index i
     join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attname = 'studio_hash'
     where i.indrelid = t.relation and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
       and i.indnkeyatts = 1 and i.indkey[0] = a.attnum);

comment on view audit.studio_hash_not_exact is 'Tables in which studio_hash does not stand for exactly one studio.';
--! EndIncluded audit/rules/studio_hash_not_exact.sql
--! Included audit/rules/view_without_condition.sql
-- Views within reach from which a reader's UNION ALL could take a table itself: there the planner appends the policy's
-- conditions to those that the reader wrote. A view is safe when its query has WHERE or JOIN; set operations, sub-selects
-- in FROM and ONLY are refused altogether, because what is in them would have to be checked as well.
create or replace view audit.view_without_condition with (security_invoker = true) as
select
  'view_without_condition' as rule,
  'error' as level,
  v.name as object,
  'reads ' || v.sources || case
    when v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M' then ' by a set operation'
    when v.definition ~ '\mFROM ONLY\M' then ' by ONLY'
    when v.definition ~ '\mFROM \(+\s*SELECT\M' then ' by a sub-select'
    else ' without a condition'
  end as finding,
  'In a UNION ALL the conditions that a reader adds can come before those of the policy, on rows of every studio: EXPLAIN '
    'ANALYZE and time tell what others have.' as why,
  'Make it a query of tables with a condition; one that is always true will do: where studio_id is not null.' as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    pg_catalog.string_agg(distinct t.oid::regclass::text collate "C", ', ') as sources,
    -- Without what stands in quotes.
    pg_catalog.regexp_replace(pg_catalog.pg_get_viewdef(c.oid, true), '''(?:[^'']|'''')*''|"(?:[^"]|"")*"', 'quoted', 'g')
      as definition
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
  join pg_catalog.pg_class t on t.oid = d.refobjid and t.relrowsecurity
  where c.relkind = 'v'
    and exists (
      select from audit.exposed_roles e
      where e.name not in ('studio_api', 'studio_writer') -- whose statements are the service's own
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT'))
  group by n.nspname, c.oid, c.relname
) as v
where v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M'
   or v.definition ~ '\mFROM ONLY\M'
   or v.definition ~ '\mFROM \(+\s*SELECT\M'
   -- Pretty-printed, what belongs to the view itself is indented less than what belongs to a query inside of it. What is
   -- read from a function cannot be taken for a table.
   or v.definition !~ '\n  WHERE ' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
     and v.definition !~ '\n   FROM [a-z_0-9.]+\(';

comment on view audit.view_without_condition is
  'Views from which a reader''s UNION ALL could take a table itself.';
--! EndIncluded audit/rules/view_without_condition.sql
--! Included audit/rules/permissive_policies_that_add_up.sql
-- Tables with more than one permissive policy for the same command.
create or replace view audit.permissive_policies_that_add_up with (security_invoker = true) as
select
  'permissive_policies_that_add_up' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('has %s permissive policies for one command: %s', pg_catalog.count(*),
    pg_catalog.string_agg(pg_catalog.quote_ident(p.polname), ', ' order by p.polname)) as finding,
  'Permissive policies are alternatives: a row passes when any of them lets it, so a second one can only show more.'
    as why,
  pg_catalog.format('Drop all of them on %I.%I but one, or make the others restrictive.', n.nspname, c.relname) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where p.polpermissive and exists (
  select from pg_catalog.pg_policy other
  where other.polrelid = p.polrelid and other.oid <> p.oid and other.polpermissive
    and (other.polcmd = p.polcmd or '*' in (other.polcmd, p.polcmd)))
group by n.nspname, c.relname;

comment on view audit.permissive_policies_that_add_up is 'Tables on which several permissive policies apply at once.';
--! EndIncluded audit/rules/permissive_policies_that_add_up.sql
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
--! Included audit/rules/wrong_owner.sql
-- What is not owned by studio_owner although it stands in its schemas; what a superuser owns elsewhere and an exposed
-- role can run with the superuser's rights; and a database that an exposed role owns.
create or replace view audit.wrong_owner with (security_invoker = true) as
select
  'wrong_owner' as rule,
  'error' as level,
  o.kind || ' ' || o.name as object,
  pg_catalog.format('is owned by %I', r.rolname) || case
    when r.rolsuper then ', a superuser'
    when r.rolbypassrls then ', who bypasses row-level security'
    else '' end as finding,
  'What runs with its owner''s rights (a view, a function, a trigger''s function) reads past row-level security when the '
    'owner is a superuser; and an owner may alter, grant and drop it.' as why,
  pg_catalog.format('alter %s %s owner to studio_owner;', o.kind, o.name) as remedy
from (
  select
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
      when 'S' then 'sequence' else 'table' end as kind,
    pg_catalog.format('%I.%I', s.name, c.relname) as name, c.relowner as owner
  from pg_catalog.pg_class c
  join audit.covered_schemas s on s.schema = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', s.name, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join audit.covered_schemas s on s.schema = p.pronamespace
  union all
  select 'view' as kind, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relowner
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper
  where c.relkind = 'v' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE'))
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', n.nspname, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles r on r.oid = p.proowner and r.rolsuper
  where p.prosecdef and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_function_privilege(e.role, p.oid, 'EXECUTE'))
  union all
  select 'database' as kind, pg_catalog.quote_ident(d.datname), d.datdba
  from pg_catalog.pg_database d
  where d.datname = pg_catalog.current_database() and d.datdba in (select x.role from audit.outsiders x)
) as o
join pg_catalog.pg_roles r on r.oid = o.owner
where r.rolname <> 'studio_owner';

comment on view audit.wrong_owner is 'Objects owned by a superuser or anybody else but studio_owner.';
--! EndIncluded audit/rules/wrong_owner.sql
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
--! Included audit/rules/catalog_function_open.sql
-- Functions of the server that are no use to a reader and of use to an attacker, and that an exposed role may call.
create or replace view audit.catalog_function_open with (security_invoker = true) as
select
  'catalog_function_open' as rule,
  'error' as level,
  pg_catalog.format('pg_catalog.%I', f.name) as object,
  'may be called by ' || f.grantee as finding,
  f.why,
  pg_catalog.format('revoke execute on function %s from %s;', f.signatures, f.grantee) as remedy
from (
  select
    c.name, c.why,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee,
    pg_catalog.string_agg(c.signature, ', ' order by c.function) as signatures
  from audit.closed_functions c
  join pg_catalog.pg_proc p on p.oid = c.function
  cross join lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as a
  where a.privilege_type = 'EXECUTE'
    and (a.grantee = 0 or a.grantee in (select x.role from audit.outsiders x))
  group by c.name, c.why, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Functions of the server that are closed here and that an exposed role may call.';
--! EndIncluded audit/rules/catalog_function_open.sql
--! Included audit/rules/language_usage.sql
-- Languages in which an exposed role, who can act as one, or everybody may write functions and DO blocks.
create or replace view audit.language_usage with (security_invoker = true) as
select
  'language_usage' as rule,
  'error' as level,
  'language ' || pg_catalog.quote_ident(g.name) as object,
  'USAGE is granted to ' || g.grantee as finding,
  'In a language of the server one writes loops that guess values, catches the errors and hides the time they take; '
    'readers need none.' as why,
  pg_catalog.format('revoke usage on language %I from %s;', g.name, g.grantee) as remedy
from (
  select
    l.lanname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from pg_catalog.pg_language l
  cross join lateral pg_catalog.aclexplode(coalesce(l.lanacl, pg_catalog.acldefault('l', l.lanowner))) as a
  -- Of the others only superusers make functions, whatever is granted.
  where l.lanpltrusted
    and (a.grantee = 0
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.language_usage is 'Languages in which an exposed role may write code.';
--! EndIncluded audit/rules/language_usage.sql
--! Included audit/rules/temporary_or_create.sql
-- Exposed roles, who can act as one, and everybody, with the right to make objects: temporary ones, schemas, or any in a
-- schema; theirs by grant or by a group they can act as.
create or replace view audit.temporary_or_create with (security_invoker = true) as
select
  'temporary_or_create' as rule,
  'error' as level,
  g.place || ' ' || pg_catalog.quote_ident(g.name) as object,
  pg_catalog.format('%s is granted to %s', g.privilege, g.grantee) as finding,
  'Whoever makes objects makes functions, operators and views that others may run into, and fills the disk with '
    'temporary tables.' as why,
  pg_catalog.format('revoke %s on %s %I from %s;', pg_catalog.lower(g.privilege), g.place, g.name, g.grantee) as remedy
from (
  select
    held.place, held.name, a.privilege_type as privilege,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from (
    select 'database' as place, d.datname as name, coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba)) as acl
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()
    union all
    select 'schema' as place, n.nspname, coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))
    from pg_catalog.pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  ) as held
  cross join lateral pg_catalog.aclexplode(held.acl) as a
  where a.privilege_type in ('TEMPORARY', 'CREATE')
    and (a.grantee = 0
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.temporary_or_create is 'Exposed roles that may make objects, temporary ones included.';
--! EndIncluded audit/rules/temporary_or_create.sql
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
  'role ' || pg_catalog.quote_ident(f.name) as object,
  'has USAGE or CREATE on schema app' as finding,
  'Readers reach the tables through the views alone: who can name a table can ask for its columns without the '
    'conditions of the view, archived items for one.' as why,
  pg_catalog.format('revoke all on schema app from %s; -- or its membership in the role that has it',
    pg_catalog.quote_ident(f.name)) as remedy
from (
  select 'public' as name from app where app.open_to_everybody
  union all
  select h.name from holders h
  where not exists (
    select from holders g where g.oid <> h.oid and pg_catalog.pg_has_role(h.oid, g.oid, 'USAGE'))
) as f;

comment on view audit.usage_on_app is 'Who can name the tables, other than the owner and the writer.';
--! EndIncluded audit/rules/usage_on_app.sql
--! Included audit/rules/member_of_two_exposed_roles.sql
-- Roles that can act as two exposed roles, and exposed roles that can act as another or as the owner, directly or by
-- way of others. Administrators (superusers, and who may create roles) are left out: they can become anybody. So is a
-- membership that only lets its holder make others members.
create or replace view audit.member_of_two_exposed_roles with (security_invoker = true) as
with held as (
  select
    member.oid, member.rolname as name, e.role is not null as exposed, pg_catalog.count(*) as roles,
    pg_catalog.string_agg(pg_catalog.quote_ident(role.rolname), ', ' order by role.rolname) as names
  from audit.memberships reached
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
  'role ' || pg_catalog.quote_ident(h.name) as object,
  case when h.exposed then 'is exposed itself and a member of ' else 'is a member of ' end || h.names as finding,
  'What each role may do is safe by itself; together they may do what was meant for none.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
--! EndIncluded audit/rules/member_of_two_exposed_roles.sql
--! Included audit/rules/dangerous_membership.sql
-- Exposed roles, and who can act as one, that can act as a role of the server (pg_read_all_data, …), as somebody bound
-- by no policy or as the owner, or that may let others in. That an exposed role can act as another or as the owner is
-- said by audit.member_of_two_exposed_roles.
create or replace view audit.dangerous_membership with (security_invoker = true) as
select
  'dangerous_membership' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(x.name) as object,
  pg_catalog.format('can act as %I', r.rolname) as finding,
  'The roles that come with the server read, write or signal past every grant; so does whoever owns the tables or '
    'bypasses row-level security.' as why,
  pg_catalog.format('revoke %I from %I; -- or from the role through which it comes', r.rolname, x.name) as remedy
from audit.outsiders x
join audit.memberships m on m.member = x.role
join pg_catalog.pg_roles r on r.oid = m.role
where (
    r.rolname ~ '^pg_' or r.rolsuper or r.rolbypassrls or r.rolreplication or r.rolcreaterole
    or (r.rolname = 'studio_owner' and not x.exposed)
  )
  -- What comes with the owner is said by naming the owner.
  and not exists (
    select from audit.memberships owner_of
    join pg_catalog.pg_roles owner on owner.oid = owner_of.role and owner.rolname = 'studio_owner'
    join audit.memberships with_owner on with_owner.member = owner.oid and with_owner.role = m.role
    where owner_of.member = x.role)
union all
select
  'dangerous_membership', 'error', 'role ' || pg_catalog.quote_ident(holder.rolname),
  pg_catalog.format('may make others members of %I', r.rolname),
  'Who may pass a membership on decides who reads and writes the studios'' data.',
  pg_catalog.format('revoke admin option for %I from %I;', r.rolname, holder.rolname)
from pg_catalog.pg_auth_members m
join pg_catalog.pg_roles holder on holder.oid = m.member
join pg_catalog.pg_roles r on r.oid = m.roleid
where m.admin_option and not holder.rolsuper and not holder.rolcreaterole
  and (r.rolname = 'studio_owner' or r.oid in (select e.role from audit.exposed_roles e));

comment on view audit.dangerous_membership is
  'Outsiders who can act as a role that reads past every grant, or who may let others in.';
--! EndIncluded audit/rules/dangerous_membership.sql
--! Included audit/rules/exposed_role_with_powers.sql
-- Exposed roles, who can act as one, and the owner, with an attribute that reaches past every grant and policy.
create or replace view audit.exposed_role_with_powers with (security_invoker = true) as
select
  'exposed_role_with_powers' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(h.name) as object,
  'has the attributes: ' || h.powers as finding,
  'Who is a superuser, bypasses row-level security, copies the server''s log of changes or makes roles and databases is '
    'bound by no policy; the owner and the groups are nobody''s login.' as why,
  pg_catalog.format('alter role %I %s;', h.name,
    pg_catalog.regexp_replace(pg_catalog.replace(h.powers, ',', ''), '(\w+)', 'no\1', 'g')) as remedy
from (
  select r.rolname as name, pg_catalog.concat_ws(', ',
    case when r.rolsuper then 'superuser' end,
    case when r.rolbypassrls then 'bypassrls' end,
    case when r.rolreplication then 'replication' end,
    case when r.rolcreaterole then 'createrole' end,
    case when r.rolcreatedb then 'createdb' end,
    case when r.rolcanlogin and r.rolname in ('studio_owner', 'studio_analyst', 'studio_auditor') then 'login' end
  ) as powers
  from pg_catalog.pg_roles r
  where r.rolname = 'studio_owner' or r.oid in (select x.role from audit.outsiders x)
) as h
where h.powers <> '';

comment on view audit.exposed_role_with_powers is
  'Exposed roles with an attribute that reaches past every grant and policy.';
--! EndIncluded audit/rules/exposed_role_with_powers.sql
--! Included audit/rules/login_without_limits.sql
-- Analysts' logins without an end, a number of connections, or limits on temporary files and on the time of a statement.
-- The service's own logins are exempt: as many connect as its pools are large, and their statements are all ours.
-- A login's settings are its own; those of its group are not inherited.
create or replace view audit.login_without_limits with (security_invoker = true) as
with settings (role, name, value) as (
  select r.oid, pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)
  from pg_catalog.pg_roles r
  join pg_catalog.pg_db_role_setting s on s.setrole in (r.oid, 0)
  left join pg_catalog.pg_database d on d.oid = s.setdatabase
  cross join lateral pg_catalog.unnest(s.setconfig) as setting
  where d.datname is null or d.datname = pg_catalog.current_database()
)
select
  'login_without_limits' as rule,
  'warning' as level,
  'role ' || pg_catalog.quote_ident(l.name) as object,
  'has no ' || l.missing as finding,
  'An analyst writes any statement: without limits one of them takes every connection, the disk or the processors, and '
    'a forgotten login lives for ever.' as why,
  pg_catalog.concat_ws(' ',
    case when l.endless then
      pg_catalog.format('alter role %I valid until %L;', l.name, (pg_catalog.now() + interval '90 days')::date) end,
    case when l.unlimited then pg_catalog.format('alter role %I connection limit 4;', l.name) end,
    case when l.boundless then pg_catalog.format('alter role %I set temp_file_limit = ''1GB'';', l.name) end,
    case when l.timeless then pg_catalog.format('alter role %I set statement_timeout = ''60s'';', l.name) end) as remedy
from (
  select held.*, pg_catalog.concat_ws(', no ',
    case when held.endless then 'VALID UNTIL' end,
    case when held.unlimited then 'CONNECTION LIMIT' end,
    case when held.boundless then 'temp_file_limit' end,
    case when held.timeless then 'statement_timeout' end) as missing
  from (
    select
      r.rolname as name,
      coalesce(r.rolvaliduntil, 'infinity') = 'infinity' as endless,
      r.rolconnlimit < 0 as unlimited,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'temp_file_limit' and s.value !~ '^-') as boundless,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'statement_timeout' and s.value !~ '^0+\D*$')
        as timeless
    from pg_catalog.pg_roles r
    join audit.memberships m on m.member = r.oid
    join audit.exposed_roles e on e.role = m.role and e.name = 'studio_analyst'
    where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
  ) as held
) as l
where l.missing <> '';

comment on view audit.login_without_limits is 'Analysts'' logins without an end or without limits.';
--! EndIncluded audit/rules/login_without_limits.sql
--! Included audit/rules/index_not_leading_with_studio_id.sql
-- Indexes of tables within an exposed role's reach whose first column is not studio_id, or that are of a kind in which the
-- first column does not bound the search.
create or replace view audit.index_not_leading_with_studio_id with (security_invoker = true) as
select
  'index_not_leading_with_studio_id' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  case m.amname
    when 'btree' then pg_catalog.format('leads with %s on %s',
      pg_catalog.pg_get_indexdef(i.indexrelid, 1, false), t.name)
    else pg_catalog.format('is of the kind %s on %s', m.amname, t.name)
  end as finding,
  'An index that is searched before the studio is known finds rows of every studio: EXPLAIN ANALYZE tells whether a '
    'value exists, and a unique one refuses what another studio has.' as why,
  'Drop it and create a B-tree with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am m on m.oid = c.relam
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where m.amname <> 'btree' or not exists (
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
  select 'index' as kind, i.indexrelid, pg_catalog.format('%I.%I', n.nspname, c.relname), i.indkey
  from audit.exposed_tables t
  join pg_catalog.pg_index i on i.indrelid = t.relation
  join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as held
join pg_catalog.pg_attribute a on a.attrelid = held.relation and a.attnum > 0 and not a.attisdropped
-- The default is null, before version 17 -1; the type differs as well.
where coalesce((pg_catalog.to_jsonb(a) ->> 'attstattarget')::integer, -1) <> 0
  and case held.kind
    when 'index' then held.indkey[a.attnum - 1] = 0
    else a.attname not in ('studio_id', 'archived_at')
  end;

comment on view audit.statistics_on_a_private_column is
  'Columns and index expressions with statistics that would show other studios'' values.';
--! EndIncluded audit/rules/statistics_on_a_private_column.sql
--! Included audit/rules/extended_statistics.sql
-- Extended statistics on tables within an exposed role's reach.
create or replace view audit.extended_statistics with (security_invoker = true) as
select
  'extended_statistics' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, x.stxname) as object,
  'are extended statistics on ' || t.name as finding,
  'They are made from every studio''s values and shape the estimates that EXPLAIN shows, also of columns that have no '
    'statistics of their own.' as why,
  pg_catalog.format('drop statistics %I.%I;', n.nspname, x.stxname) as remedy
from audit.exposed_tables t
join pg_catalog.pg_statistic_ext x on x.stxrelid = t.relation
join pg_catalog.pg_namespace n on n.oid = x.stxnamespace;

comment on view audit.extended_statistics is 'Extended statistics on tables within an exposed role''s reach.';
--! EndIncluded audit/rules/extended_statistics.sql
--! Included audit/rules/foreign_key_across_studios.sql
-- Foreign keys that a row of one studio can use to point at a row of another: to a table with studio_id without
-- comparing it, and to app.studios from another column than studio_id.
create or replace view audit.foreign_key_across_studios with (security_invoker = true) as
select
  'foreign_key_across_studios' as rule,
  'error' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, n.nspname, c.relname) as object,
  pg_catalog.format('points at %I.%I without studio_id', fn.nspname, f.relname) as finding,
  'The server checks foreign keys past row-level security: the row may point into another studio, and whether it is '
    'taken or refused tells which ids exist there.' as why,
  pg_catalog.format('Drop it, give %I.%I the column studio_id where it has none, and add it anew with studio_id on both '
    'sides.', n.nspname, c.relname) as remedy
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
-- What names a studio in the referenced table; a table that names none is shared by all.
join pg_catalog.pg_attribute studio on studio.attrelid = f.oid and not studio.attisdropped
  and studio.attname = case when (fn.nspname, f.relname) = ('app', 'studios') then 'id' else 'studio_id' end
where k.contype = 'f' and not exists (
  select
  from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) as pair (referencing, referenced)
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = pair.referencing
  where a.attname = 'studio_id' and pair.referenced = studio.attnum);

comment on view audit.foreign_key_across_studios is 'Foreign keys that can point into another studio.';
--! EndIncluded audit/rules/foreign_key_across_studios.sql
--! Included audit/rules/foreign_key_without_index.sql
-- Foreign keys of which no index begins with the columns, in any order. An index with a condition counts when that says
-- no more than that columns of the key are not null. Exempt is the vocabulary app.categories: only migrations change it,
-- and an index that leads with a category would not lead with studio_id.
create or replace view audit.foreign_key_without_index with (security_invoker = true) as
select
  'foreign_key_without_index' as rule,
  'warning' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, k.schema, k.relation) as object,
  pg_catalog.format('no index begins with %s', k.columns) as finding,
  'Every row that is deleted from, or given another key in, the referenced table is looked for in the whole table, '
    'which is locked against it as long.' as why,
  pg_catalog.format('create index on %I.%I (%s);', k.schema, k.relation, k.columns) as remedy
from (
  select
    c.conname, n.nspname as schema, r.relname as relation, c.conrelid, c.conkey,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by key.position)
     from pg_catalog.unnest(c.conkey) with ordinality as key (number, position)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as columns,
    (select pg_catalog.string_agg(pg_catalog.format('(%I IS NOT NULL)', a.attname), '|')
     from pg_catalog.unnest(c.conkey) as key (number)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as conditions
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  join audit.covered_schemas s on s.schema = n.oid
  join pg_catalog.pg_class f on f.oid = c.confrelid
  join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where c.contype = 'f' and (fn.nspname, f.relname) <> ('app', 'categories')
) as k
where not exists (
  select
  from pg_catalog.pg_index i
  where i.indrelid = k.conrelid and i.indisvalid and i.indnkeyatts >= pg_catalog.cardinality(k.conkey)
    and (i.indkey::int2[])[0:pg_catalog.cardinality(k.conkey) - 1] @> k.conkey
    and (i.indpred is null or pg_catalog.pg_get_expr(i.indpred, i.indrelid)
      = any (pg_catalog.string_to_array(k.conditions, '|'))));

comment on view audit.foreign_key_without_index is 'Foreign keys that no index serves.';
--! EndIncluded audit/rules/foreign_key_without_index.sql
--! Included audit/rules/setting_with_a_secret.sql
-- Settings of roles, databases and functions that look like a secret, by their name or by a password in their value.
-- What was set in the server's files cannot be listed by an auditor.
create or replace view audit.setting_with_a_secret with (security_invoker = true) as
select
  'setting_with_a_secret' as rule,
  'error' as level,
  h.holder as object,
  pg_catalog.format('the setting %I looks like a secret', h.name) as finding,
  'Everybody who can log in reads the settings of all roles, databases and functions.' as why,
  pg_catalog.format('alter %s reset %s; -- and change the secret: it was readable', h.holder,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' order by position)
     from pg_catalog.regexp_split_to_table(h.name, '\.') with ordinality as parts (part, position))) as remedy
from (
  select
    places.holder,
    pg_catalog.split_part(setting, '=', 1) as name,
    pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1) as value
  from (
    select
      case when s.setrole = 0 and s.setdatabase = 0 then 'role all'
        when s.setrole = 0 then pg_catalog.format('database %I', d.datname)
        when d.oid is null then pg_catalog.format('role %I', pg_catalog.pg_get_userbyid(s.setrole))
        else pg_catalog.format('role %I in database %I', pg_catalog.pg_get_userbyid(s.setrole), d.datname)
      end as holder,
      s.setconfig as settings
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    where d.oid is null or d.datname = pg_catalog.current_database()
    union all
    select
      pg_catalog.format('routine %I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)),
      p.proconfig
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  ) as places
  cross join lateral pg_catalog.unnest(places.settings) as setting
) as h
-- The server's own settings have no dot in their name; none of those holds a secret but by what is in its value.
where h.name ~* '\..*(pass|secret|token|credential|private|_?key$)'
   or h.value ~ '://[^/@\s]*:[^/@\s]+@'
   or h.value ~* '\mpassword\s*=';

comment on view audit.setting_with_a_secret is 'Settings that hold what looks like a secret.';
--! EndIncluded audit/rules/setting_with_a_secret.sql
--! Included audit/rules/server_below_safe_version.sql
-- A server without the fixes on which the isolation of studios relies.
create or replace view audit.server_below_safe_version with (security_invoker = true) as
select
  'server_below_safe_version' as rule,
  'error' as level,
  'server' as object,
  pg_catalog.format('is PostgreSQL %s.%s', v.major, v.minor) as finding,
  'Older versions have known ways around row-level security and grants.' as why,
  'Install PostgreSQL ' || coalesce(
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s where s.major = v.major),
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s order by s.major desc limit 1)
  ) || ' or newer.' as remedy
from (
  select n.number / 10000 as major, n.number % 10000 as minor
  from (select pg_catalog.current_setting('server_version_num')::integer as number) as n
) as v
where v.major < (select pg_catalog.min(s.major) from audit.safe_versions s)
   or exists (select from audit.safe_versions s where s.major = v.major and s.minor > v.minor);

comment on view audit.server_below_safe_version is 'A server without the fixes on which isolation relies.';
--! EndIncluded audit/rules/server_below_safe_version.sql
--! Included audit/rules/analyst_mapping_changed.sql
-- Analysts' logins whose studio is not the one they were made for, or that nobody holds. Reads no row: a function of the
-- owner compares the mapping with its log and returns names.
create or replace view audit.analyst_mapping_changed with (security_invoker = true) as
select
  'analyst_mapping_changed' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(m.login) as object,
  m.reason as finding,
  'An analyst sees the studio that access.analyst_logins names; the commands map a login once, and never to another studio.'
    as why,
  pg_catalog.format('delete from access.analyst_logins where login = %L; -- then make a login with analyst create', m.login)
    as remedy
from access.misdirected_analysts() as m;

comment on view audit.analyst_mapping_changed is
  'Analysts'' logins that are mapped otherwise than they were made.';
--! EndIncluded audit/rules/analyst_mapping_changed.sql
--! Included audit/views/findings.sql
-- What all rules find; nothing in a sound database. A rule is a view of its own with these columns: which rule, how bad
-- (error: another studio's data is or may come within reach; warning: something else that should not stay), on what,
-- what is wrong, why it matters, how to fix it.
create or replace view audit.findings with (security_invoker = true) as
select rule, level, object, finding, why, remedy from audit.table_without_row_level_security
union all
select rule, level, object, finding, why, remedy from audit.policy_for_a_role
union all
select rule, level, object, finding, why, remedy from audit.policy_not_comparing_studio_id
union all
select rule, level, object, finding, why, remedy from audit.studio_hash_not_exact
union all
select rule, level, object, finding, why, remedy from audit.view_without_condition
union all
select rule, level, object, finding, why, remedy from audit.permissive_policies_that_add_up
union all
select rule, level, object, finding, why, remedy from audit.view_not_invoker
union all
select rule, level, object, finding, why, remedy from audit.wrong_owner
union all
select rule, level, object, finding, why, remedy from audit.function_without_search_path
union all
select rule, level, object, finding, why, remedy from audit.executable_by_everybody
union all
select rule, level, object, finding, why, remedy from audit.catalog_function_open
union all
select rule, level, object, finding, why, remedy from audit.language_usage
union all
select rule, level, object, finding, why, remedy from audit.temporary_or_create
union all
select rule, level, object, finding, why, remedy from audit.column_grant_beyond_the_list
union all
select rule, level, object, finding, why, remedy from audit.usage_on_app
union all
select rule, level, object, finding, why, remedy from audit.member_of_two_exposed_roles
union all
select rule, level, object, finding, why, remedy from audit.dangerous_membership
union all
select rule, level, object, finding, why, remedy from audit.exposed_role_with_powers
union all
select rule, level, object, finding, why, remedy from audit.login_without_limits
union all
select rule, level, object, finding, why, remedy from audit.index_not_leading_with_studio_id
union all
select rule, level, object, finding, why, remedy from audit.statistics_on_a_private_column
union all
select rule, level, object, finding, why, remedy from audit.extended_statistics
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_across_studios
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_without_index
union all
select rule, level, object, finding, why, remedy from audit.setting_with_a_secret
union all
select rule, level, object, finding, why, remedy from audit.server_below_safe_version
union all
select rule, level, object, finding, why, remedy from audit.analyst_mapping_changed;

comment on view audit.findings is 'What all rules of the audit find; no row in a sound database.';
--! EndIncluded audit/views/findings.sql
--! Included audit/views/effective_privileges.sql
-- What each exposed role may in fact do with each table, view and column, whichever way the privilege came: role ×
-- relation × column × privilege. The whole relation is the column '*': there stand the privileges that columns do not
-- have.
create or replace view audit.effective_privileges with (security_invoker = true) as
select
  e.name as role, pg_catalog.format('%I.%I', s.name, c.relname) as relation, c.relkind as kind, a.attname as column_name,
  a.attnum as position, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) as held (privilege)
where pg_catalog.has_column_privilege(e.role, c.oid, a.attnum, held.privilege)
union all
select
  e.name, pg_catalog.format('%I.%I', s.name, c.relname), c.relkind, '*', 0::smallint, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
cross join (values ('DELETE'), ('TRUNCATE'), ('TRIGGER')) as held (privilege)
where pg_catalog.has_table_privilege(e.role, c.oid, held.privilege);

comment on view audit.effective_privileges is
  'What each exposed role may do with each table, view and column, whichever way the privilege came.';
--! EndIncluded audit/views/effective_privileges.sql

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
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.get_policy, api_v1.get_account, api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.schema_version
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller. Nothing else.

grant execute on function access.record_activity, access.watch_analysts to studio_recorder;
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

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan,
  valuation.refresh, app.open_import
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
--! Included grants/studio_console.sql
-- The console's pool: the functions of schema console. All but those for coming and going ask for the session of a signed-in
-- user and decide by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log
  to studio_console;
--! EndIncluded grants/studio_console.sql
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
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.open_analyst_session
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

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;

-- Names of logins alone, for audit.analyst_mapping_changed.
grant execute on function access.misdirected_analysts to studio_auditor;
--! EndIncluded grants/studio_auditor.sql

-- As the administrator
reset role;

--! Included grants/studio_owner.sql
-- What access.watch_analysts and access.end_sessions need, and nothing else of the owner's uses: to see what sessions are
-- doing, and to end them. Nobody can log in as the owner. Run as the administrator, who has to be allowed to pass these
-- rights on (superusers are; so is a role with CREATEROLE before version 16, and later one that holds them with ADMIN).

do $$
begin
  -- Before version 16 a role uses what it was granted either always or never.
  alter role studio_owner inherit;
  grant pg_signal_backend, pg_read_all_stats to studio_owner;
exception when insufficient_privilege then
  raise warning 'analysts are not watched: have a superuser grant pg_signal_backend, pg_read_all_stats to studio_owner';
end
$$;
--! EndIncluded grants/studio_owner.sql
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
--! Included grants/statistics.sql
-- Auditors see of which columns statistics are kept, and none of their values. Run as the administrator; where that is no
-- superuser, the audit says that it cannot see it.
do $$
begin
  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
  end if;
end
$$;
--! EndIncluded grants/statistics.sql
--! EndIncluded all.sql
