--! Previous: sha1:2a8b2e482fc938f76a2fb6abb9fc876d79d23451
--! Hash: sha1:b0f8ca8dbd72a708807681a3dbffcca7f3a9ca8c
--! Message: rules

--! Included all.sql
-- The manifest: everything that can be replaced, in the order in which it is installed. Running it
-- again changes nothing. Tables are state and are in the migrations.

-- These run as the administrator.
--! Included roles.sql
-- The roles of a studio inventory. They belong to the whole server, and its databases share them,
-- so this creates only those that are missing. None is a superuser or bypasses row-level security,
-- and only studio_backup is a member of another. Run it as the administrator.

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
      ('studio_auditor', 'nologin'),  -- group: reads the audit views
      ('studio_backup', 'nologin')    -- pg_dump acts as it without a superuser: reads every row
    ) as r (name, attributes)
    where not exists (select from pg_catalog.pg_roles where rolname = r.name)
  loop
    execute format('create role %I %s noinherit', missing.name, missing.attributes);
  end loop;

  -- An administrator who is no superuser becomes a member of the owner, in order to create and
  -- change its objects, and may act as the role of backups.
  if not pg_catalog.pg_has_role(current_user, 'studio_owner', 'usage') then
    execute format('grant studio_owner to %I', current_user);
  end if;
  if not pg_catalog.pg_has_role(current_user, 'studio_backup', 'usage') then
    execute format('grant studio_backup to %I', current_user);
  end if;
end
$$;

-- A statement has one plan for all studios. Nothing is compiled. Timestamps leave the server in
-- UTC. Without statistics the planner guesses. It must not sort, because an index has the order of
-- every list. A plan from a time when the table was small, or full of dead rows, must not read the
-- whole table.
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
-- A transaction that has written and does nothing would hold back every studio's polls
-- (access.current_watermark). app.open_import() allows an import more, which may ask somebody.
alter role studio_writer set timezone = 'UTC';
alter role studio_writer set jit = off;
alter role studio_writer set idle_in_transaction_session_timeout = '20s';
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
-- Ends the statement of a client that has left. Not every operating system notices that.
do $$
begin
  alter role studio_api set client_connection_check_interval = '1s';
  alter role studio_console set client_connection_check_interval = '1s';
  alter role studio_graphql set client_connection_check_interval = '1s';
  alter role studio_writer set client_connection_check_interval = '1s';
exception when invalid_parameter_value then
  null;
end
$$;

-- When a service's machine or network fails, its sessions end after half a minute and not after the
-- system's hours. This works on Linux only: other systems warn of these settings at each login.
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

-- This counts behind a connection pooler, which drops the shorter limit that the service sets
-- itself.
alter role studio_api set statement_timeout = '5s';
alter role studio_recorder set statement_timeout = '5s';
alter role studio_console set statement_timeout = '5s';
alter role studio_graphql set statement_timeout = '5s';
--! EndIncluded roles.sql
--! Included schemas.sql
-- The schemas, and the roles that may name objects in them. Run it as the administrator.

create schema if not exists app authorization studio_owner;
create schema if not exists access authorization studio_owner;
create schema if not exists valuation authorization studio_owner;
create schema if not exists console authorization studio_owner;
create schema if not exists api_v1 authorization studio_owner;
create schema if not exists service authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema console is 'What the console''s pages may ask, each question in the session of a signed-in user.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema service is 'What the REST service alone reads: what lists are made of, photos and counters.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- The files of grants/ say by name what an outsider may do. Nothing is granted to everybody.
revoke all on schema public from public;
alter default privileges for role studio_owner revoke execute on functions from public;

grant usage on schema api_v1 to studio_api, studio_graphql, studio_analyst;
grant usage on schema service to studio_api;
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
-- Every rule about "now" and "today" reads this clock, so a test can stop it here.
create or replace function access.clock() returns timestamptz
language sql stable security invoker parallel safe
return pg_catalog.now();

comment on function access.clock() is 'What is now and today for every rule about time.';
--! EndIncluded access/functions/clock.sql
--! Included access/functions/is_plain.sql
-- Whether a name shows as one line, as typed: without line breaks, control characters, and marks of
-- direction, which can make a name look like another.
create or replace function access.is_plain(name text) returns boolean
language sql immutable strict security invoker
return name !~ U&'[\0001-\001F\007F-\009F\061C\200E\200F\2028-\202E\2066-\2069]';

comment on function access.is_plain(text) is 'Whether a name has no line breaks and no marks of direction.';
--! EndIncluded access/functions/is_plain.sql
--! Included access/views/current_watermark.sql
-- Every change with a stamp before `until` is visible to this snapshot; a transaction that is open or
-- yet to come gets a stamp at or after it (app.stamp()). `at` is the same moment for a client to poll
-- from, and never later than now: what the calendar alone changes, such as a policy that begins,
-- counts from its own midnight. One row, to the millisecond. A second or two ago, or as old as the
-- oldest transaction that writes. Null before the first heartbeat. When a transaction is older than
-- all heartbeats, it is the moment of the first one: none was announced before it, so no invisible
-- row has an earlier stamp. After somebody has set back a clock that was ahead, stamps and `until`
-- are later than now for a while, so polls still return every change, some of them again.
-- It holds for everything that the same statement reads, on a replica too. A view, so that it
-- becomes part of the statement: a function's statement would start for each call.
create or replace view access.current_watermark with (security_invoker = true) as
select
  case when w.until > pg_catalog.now() then pg_catalog.date_trunc('milliseconds', pg_catalog.now()) else w.until end as at,
  w.until
from (
  select coalesce(
    (select h.at from app.heartbeats h
     where h.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by h.xid desc limit 1),
    (select h.at from app.heartbeats h order by h.xid limit 1)) as until
) as w;

comment on view access.current_watermark is 'The moment before which nothing can still become visible to this snapshot.';
--! EndIncluded access/views/current_watermark.sql
--! Included access/functions/watermark.sql
-- access.current_watermark for the heartbeat, whose role may not read the view.
create or replace function access.watermark() returns timestamptz
language sql stable security definer
set search_path = ''
return (select w.at from access.current_watermark w);

comment on function access.watermark() is 'The moment before which nothing can still become visible to this snapshot.';
--! EndIncluded access/functions/watermark.sql
--! Included access/functions/current_studio_id.sql
-- The studio that this session may see; null when there is none. Every row-level-security policy
-- compares with it.
--
-- It depends on session_user, which no SET can change. The setting studio.id counts for the
-- service's own pool logins and for administrators, who could become the owner anyway. Everybody
-- else is an analyst, whose studio is in access.analyst_logins; one that is archived shows nothing.
-- A setting that is missing, empty or no uuid gives null (no rows), never an error. spec: "A caller
-- never sees another studio's data."
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
    -- The five groups of a UUID. A regular expression would take four times as long.
    if setting like '________-____-____-____-____________'
       and pg_catalog.translate(setting, '0123456789abcdef', '') = '----' then
      return setting::uuid;
    end if;
    return null;
  end if;
  return (
    select l.studio_id from access.analyst_logins l
    where l.login = session_user and not exists (
      select from access.subscriptions s where s.studio_id = l.studio_id and s.archived_at is not null));
end
$$;

comment on function access.current_studio_id() is
  'The studio that this session may see, by its login; null when there is none.';
--! EndIncluded access/functions/current_studio_id.sql
--! Included access/functions/removals_since.sql
-- No removal since this moment is missing.
create or replace function access.removals_since() returns timestamptz
language sql stable security definer
set search_path = ''
return (select s.removals_since from app.sync_state s);

comment on function access.removals_since() is 'Since when removals are known without a gap.';
--! EndIncluded access/functions/removals_since.sql
--! Included access/functions/current_studio_mask.sql
-- The studio that this session may see, in the form that policies compare at no cost: an array
-- whose only element, true, has the studio's studio_hash as its subscript. Without a studio it is
-- null, and so is each of its elements.
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
--! Included access/functions/first_moment.sql
-- The first moment of a day in a time zone. Where clocks go back from one o'clock to midnight (the
-- Azores, Havana), there are two midnights, and PostgreSQL converts to the second.
create or replace function access.first_moment(day date, timezone text) returns timestamptz
language sql immutable security invoker
return case
  when ((day::timestamp at time zone timezone) - interval '1 hour') at time zone timezone >= day
  then (day::timestamp at time zone timezone) - interval '1 hour'
  else day::timestamp at time zone timezone
end;

comment on function access.first_moment(date, text) is 'The first moment of a day in a time zone.';
--! EndIncluded access/functions/first_moment.sql
--! Included access/functions/studio_today.sql
-- Today's date on a studio's own calendar (studios.timezone); null for an unknown studio.
-- spec: "A policy is active when … effective_start is today or earlier".
create or replace function access.studio_today(studio_id uuid) returns date
language sql stable security definer parallel safe
set search_path = ''
return (select (access.clock() at time zone s.timezone)::date from app.studios s where s.id = studio_today.studio_id);

comment on function access.studio_today(uuid) is 'Today''s date in the time zone of a studio.';
--! EndIncluded access/functions/studio_today.sql
--! Included access/functions/current_studio_today.sql
-- Today's date on the calendar of the session's studio; null without a studio.
create or replace function access.current_studio_today() returns date
language sql stable security definer parallel safe
set search_path = ''
return access.studio_today(access.current_studio_id());

comment on function access.current_studio_today() is 'Today''s date in the time zone of the session''s studio.';
--! EndIncluded access/functions/current_studio_today.sql
--! Included access/functions/entitled_plan.sql
-- The plan to which a subscription entitles at this moment; null when it includes no API access. A
-- trial runs until trial_ends_at, and a canceled or past-due subscription until the end of its paid
-- period. An archived studio has no plan, and a studio that is being removed stays archived
-- (access.keep_archived()). access.recognised_tokens lists in changes_this_second every moment that
-- this function compares with the clock; add a new one there, too.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access".
create or replace function access.entitled_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case
  when subscription.archived_at is not null then null
  when subscription.status = 'active'
    or (subscription.status = 'trialing' and access.clock() < subscription.trial_ends_at)
    or (subscription.status in ('canceled', 'past_due') and access.clock() < subscription.current_period_end)
  then subscription.plan
end;

comment on function access.entitled_plan(access.subscriptions) is
  'The plan a subscription entitles to now: pro, pro_insure or studio; null when it includes no API access.';
--! EndIncluded access/functions/entitled_plan.sql
--! Included access/functions/api_plan.sql
-- The plan by which a studio may use the API now. Null if no plan includes it or the public API is
-- off.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access"; "the public API
-- is rolling out as a paid-plan feature".
create or replace function access.api_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case when subscription.public_api then access.entitled_plan(subscription) end;

comment on function access.api_plan(access.subscriptions) is
  'The plan by which a studio may use the API now: pro, pro_insure or studio; null when it may not.';
--! EndIncluded access/functions/api_plan.sql
--! Included access/functions/current_plan.sql
-- The plan of the session's studio now; null without a plan or a studio.
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
--! Included access/functions/current_period.sql
-- The billing period of a subscription now: the one that was set, until it has passed; then, for an
-- active one that renews, the period of the same length that contains today. It changes at midnight
-- on the studio's calendar together with the version of the studio's answers, so that no cached
-- answer has an old period.
--   timezone  of the studio
-- spec: GET /account, "current billing period".
create or replace function access.current_period(subscription access.subscriptions, timezone text)
returns table (period_start timestamptz, period_end timestamptz)
language plpgsql stable security invoker rows 1
set search_path = ''
as $$
declare
  today date := (access.clock() at time zone timezone)::date;
  first_day date := (subscription.current_period_start at time zone timezone)::date;
  step integer := case subscription.renews when 'year' then 12 else 1 end;
  months integer;
begin
  period_start := subscription.current_period_start;
  period_end := subscription.current_period_end;
  if subscription.status = 'active' and subscription.renews is not null
    and today >= (period_end at time zone timezone)::date
  then
    months := 12 * (extract(year from today) - extract(year from first_day))::integer
      + (extract(month from today) - extract(month from first_day))::integer;
    if (first_day + pg_catalog.make_interval(months => months))::date > today then
      months := months - 1;
    end if;
    months := months - months % step;
    period_start := access.first_moment((first_day + pg_catalog.make_interval(months => months))::date, timezone);
    period_end := access.first_moment((first_day + pg_catalog.make_interval(months => months + step))::date, timezone);
  end if;
  return next;
end
$$;

comment on function access.current_period(access.subscriptions, text) is
  'The billing period of a subscription at this moment.';
--! EndIncluded access/functions/current_period.sql
--! Included access/functions/current_account.sql
-- The account of the session's studio; no row without a studio. For the account view, because
-- nobody may read the tables of studios and subscriptions. plan_tier is null when the plan includes
-- no API access.
create or replace function access.current_account() returns table (
  name text, plan_tier text, is_trial boolean, trial_ends_at timestamptz,
  current_period_start timestamptz, current_period_end timestamptz, currency text, timezone text,
  minor_units smallint
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    studio.name, access.entitled_plan(s), coalesce(s.status = 'trialing', false), s.trial_ends_at,
    period.period_start, period.period_end, studio.currency, studio.timezone, studio.minor_units
  from app.studios studio
  left join access.subscriptions s on s.studio_id = studio.id
  left join lateral access.current_period(s, studio.timezone) as period on true
  where studio.id = access.current_studio_id();
end;

comment on function access.current_account() is 'The session''s studio with its plan and billing period.';
--! EndIncluded access/functions/current_account.sql
--! Included access/functions/operation_row.sql
-- The row that an operation returns: it authenticates the request, and reads a single resource.
--   status      200, 401, 403 or 404
--   token_id    the token that was recognised; null with 401, unless only its address was refused
--   plan_tier   pro, pro_insure or studio; null with 401 and 403
--   data        JSON text: an object, or the elements of an array without its brackets
--   photo_keys  storage keys of an item's photos, in order (item detail only)
--   studio_id   the studio of the token; null with 401
--   version     the studio, its data version and its day, on which the answer to a request depends.
--               Null when the row lacks a part that could not be read, so that nobody caches it
--   watermark   every change with a stamp before this moment is visible; later than now while the
--               clock is behind (access.current_watermark.until). Null when there was no heartbeat,
--               and with 401
do $$
begin
  if pg_catalog.to_regtype('access.operation_row') is null then
    create type access.operation_row as (
      status smallint,
      token_id uuid,
      plan_tier text,
      data text,
      photo_keys text[],
      studio_id uuid,
      version text,
      watermark timestamptz
    );
  end if;
end
$$;

comment on type access.operation_row is 'The row of an operation: status, token, plan, JSON text, photo keys, version.';
--! EndIncluded access/functions/operation_row.sql
--! Included access/views/studio_versions.sql
-- The version of a studio's answers, as a text: the studio, its data version and today's date
-- there. Two answers to the same question with the same version are the same.
create or replace view access.studio_versions with (security_invoker = true) as
select s.id as studio_id,
  s.id || '/'
    || coalesce((select pg_catalog.sum(d.version) from app.data_versions d where d.studio_id = s.id), 0) || '/'
    || (access.clock() at time zone s.timezone)::date as version
from app.studios s;

comment on view access.studio_versions is 'The version of everything the API may answer for each studio.';
--! EndIncluded access/views/studio_versions.sql
--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: neither revoked nor expired, and their effective
-- user is a current member. status 403: the plan includes no API access, and plan_tier is null;
-- else 200. Its readers compare addresses with the client's: null is any, else one of them has to
-- contain it. changes_this_second: an end that may change the status is in this second of the
-- clock; null or false when none is. For access.open_session() and access.authenticate_batch()
-- alone. spec: "a token acts as the member it is scoped to; an unscoped token … acts as its
-- issuer"; "the effective plan is read from the studio's subscription at each authentication".
create or replace view access.recognised_tokens with (security_invoker = true) as
select t.digest, t.id as token_id, t.studio_id, plan.tier as plan_tier,
  (case when plan.tier is null then 403 else 200 end)::smallint as status,
  t.addresses,
  (pg_catalog.date_trunc('second', t.expires_at) = pg_catalog.date_trunc('second', access.clock())
    or pg_catalog.date_trunc('second', s.trial_ends_at) = pg_catalog.date_trunc('second', access.clock())
    or pg_catalog.date_trunc('second', s.current_period_end) = pg_catalog.date_trunc('second', access.clock())) as changes_this_second
from access.tokens t
join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
left join access.subscriptions s on s.studio_id = t.studio_id
cross join lateral (select access.api_plan(s) as tier) as plan
where t.revoked_at is null and (t.expires_at is null or t.expires_at > access.clock());

comment on view access.recognised_tokens is 'The tokens that are recognised at this moment, with the plan of their studio.';
--! EndIncluded access/views/recognised_tokens.sql
--! Included access/functions/current_state.sql
-- The state that a statement sees, as text: the server and its start, the database, the snapshot,
-- and the second of the clock. Two statements with one state see the same rows, and their times
-- differ by a second at most. So they read the same, unless something changes by the clock alone
-- within that second. The state covers rows only, because a snapshot has no sequences, settings and
-- statistics. Every commit makes another snapshot. The start tells a server from one that took
-- over. The crash of a single process does not change the start, and then the second differs. Null
-- on a standby, whose snapshots lack some open transactions.
create or replace function access.current_state() returns text
language sql stable security invoker
return case when not pg_catalog.pg_is_in_recovery() then
  extract(epoch from pg_catalog.pg_postmaster_start_time()) || ' ' || pg_catalog.current_database() || ' '
  || pg_catalog.pg_current_snapshot() || ' ' || pg_catalog.floor(extract(epoch from access.clock()))
end;

comment on function access.current_state() is
  'What a statement sees, as a text: two statements of the same state see the same. Null on a standby.';
--! EndIncluded access/functions/current_state.sql
--! Included access/functions/authenticate_batch.sql
-- Authenticates many tokens in one statement, each with its client's address (null: unknown). Skips
-- the work if nothing changed since known_state. Reads no data and opens no session.
--   token_digests     of 32 bytes each, one after the other
--   client_addresses  one for each token
--   known_state       the state (access.current_state()) in which these tokens were last
--                     authenticated; null: none
-- Returns null when the state is the same: the previous results are still valid. Otherwise JSON:
--   state      the next known_state; null when something may change within this second
--   watermark  access.current_watermark.at
--   tokens     the result of access.open_session() for each: [status, token_id, studio_id,
--              plan_tier, version]; status 200, 401 or 403, without a validator
-- Looks up each token and version by its key (offset 0), because the planner does not know how many
-- there are.
create or replace function access.authenticate_batch(token_digests bytea, client_addresses inet[], known_state text)
returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  state text := access.current_state();
begin
  if state = known_state then
    return null;
  end if;
  return (
    select pg_catalog.json_build_object(
      'state', case when not pg_catalog.bool_or(t.changes_this_second is true) then state end,
      'watermark', pg_catalog.min(w.at)::text,
      'tokens', pg_catalog.json_agg(
        pg_catalog.json_build_array(
          coalesce(t.status, 401), t.token_id, t.studio_id, t.plan_tier, v.version)
        order by asked.place))
    from pg_catalog.unnest(client_addresses) with ordinality as asked (address, place)
    left join lateral (
      select r.token_id, r.changes_this_second, here.status, here.studio_id, here.plan_tier
      from access.recognised_tokens r
      left join lateral (select r.status, r.studio_id, r.plan_tier) as here
        on r.addresses is null or asked.address <<= any (r.addresses)
      where r.digest = pg_catalog.substr(token_digests, 32 * (asked.place - 1)::integer + 1, 32) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w);
end
$$;

comment on function access.authenticate_batch(bytea, inet[], text) is
  'Authenticates many tokens in one statement, in their order, unless nothing has changed.';
--! EndIncluded access/functions/authenticate_batch.sql
--! Included access/functions/token_prefixes.sql
-- The first eight bytes of the digests of all unrevoked tokens issued since a moment, concatenated,
-- and the moment for the next call. With them a process rejects guesses without a query for each.
-- They authenticate nothing. The function looks back one hour, because a transaction that issues a
-- token may stay open for a while.
create or replace function access.token_prefixes(since timestamptz) returns table (prefixes bytea, next_since timestamptz)
language sql stable security definer
set search_path = ''
as $$
  select
    coalesce(pg_catalog.string_agg(pg_catalog.substr(t.digest, 1, 8), ''::bytea), ''::bytea),
    pg_catalog.now() - interval '1 hour'
  from access.tokens t
  where t.revoked_at is null and t.created_at >= since
$$;

comment on function access.token_prefixes(timestamptz) is
  'The first bytes of the digests of the tokens issued since a moment, to tell them from guesses.';
--! EndIncluded access/functions/token_prefixes.sql
--! Included access/functions/open_session.sql
-- Authenticates a token by its digest and opens its studio's session for the transaction.
-- Status 200; 401: access.recognised_tokens lacks the token, or the token does not accept the
-- address (token_id is then set); 403: the plan includes no API access.
--   client_address  of the request; null: unknown, which a token with an address list refuses
create or replace function access.open_session(token_digest bytea, client_address inet default null)
returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
  is_refused boolean;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier, v.version, w.until,
    (t.addresses is null or client_address <<= any (t.addresses)) is not true
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark, is_refused
  from access.recognised_tokens t
  join access.studio_versions v on v.studio_id = t.studio_id
  cross join access.current_watermark w
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif is_refused then
    answer := row(401, answer.token_id, null, null, null, null, null, null)::access.operation_row;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, inet) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/open_analyst_session.sql
-- Checks what an analyst whose identity was verified outside may do, and opens the studio's session
-- for the rest of the transaction: the membership and the plan, both at this moment, so that a
-- removed member reads nothing from the next request on. The person is named by user id, else by
-- e-mail (ASCII in any case); a session without a person is refused. status 401: no current member
-- of the studio. 403: the plan includes no access. 200: the session is open. spec: "Results are
-- scoped to the studio that the token's effective user belongs to. A caller never sees another
-- studio's data."
create or replace function access.open_analyst_session(studio_id uuid, user_id uuid, email text) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
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
--! Included access/functions/open_login_session.sql
-- Checks what the bearer of an identity of an analyst's login may do in GraphQL, and opens the
-- studio's session for the rest of the transaction. It checks everything at this moment: that the
-- login exists, is mapped to the studio, may log in, is valid and was not rotated since the
-- identity was issued, and the plan. So the end of the login ends its identities.
--   issued  when the identity was issued
-- status 401: no such login, or one that has ended. 403: the plan includes no access. 200: the
-- session is open. spec: "A caller never sees another studio's data."
create or replace function access.open_login_session(studio_id uuid, login text, issued timestamptz) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.operation_row;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.analyst_logins l
  join pg_catalog.pg_roles r on r.rolname = l.login
  left join access.subscriptions s on s.studio_id = l.studio_id
  where l.login = open_login_session.login::name
    and l.studio_id = open_login_session.studio_id
    and r.rolcanlogin
    and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now())
    and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
    and not exists (
      select from access.analyst_log g
      where g.login = l.login and g.event = 'rotated' and g.at > coalesce(open_login_session.issued, '-infinity'));

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_login_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_login_session(uuid, text, timestamptz) is
  'Checks an analyst''s login and the plan and opens the studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_login_session.sql
--! Included access/functions/enter_studio.sql
-- Opens a studio's session until the transaction ends, for the owner's functions that work through
-- studios.
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
--! Included access/functions/text_lengths.sql
-- How many characters a text may have: what the checks length_of_… say, from the catalog. A list of
-- texts has as many together, with a comma between them.
create or replace function access.text_lengths() returns table (relation text, name text, characters integer)
language sql stable security invoker
set search_path = ''
begin atomic
  select
    n.nspname || '.' || r.relname, pg_catalog.substr(c.conname, 11),
    (pg_catalog.regexp_match(pg_catalog.pg_get_constraintdef(c.oid), '<= (\d+)'))[1]::integer
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  where n.nspname in ('app', 'access') and c.contype = 'c' and pg_catalog.starts_with(c.conname::text, 'length_of_')
  order by 1, 2;
end;

comment on function access.text_lengths() is 'How many characters each text may have that people write.';
--! EndIncluded access/functions/text_lengths.sql
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
--! Included access/functions/has_migration.sql
-- Whether this database has a migration, by the hash ('sha1:…') of its content and all earlier
-- migrations.
create or replace function access.has_migration(migration_hash text) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (select from graphile_migrate.migrations m where m.hash = migration_hash);
end
$$;

comment on function access.has_migration is 'Whether this database has the migration with this hash.';
--! EndIncluded access/functions/has_migration.sql

-- The rules of valuation
--! Included app/functions/minor_units.sql
-- How many decimals an amount in a currency has; null for other texts. Source: ISO
-- 4217, list one of 2024-06-25 with the amendments until January 2026 (XCG for ANG; without BGN).
-- Funds, metals and units of account are not in it.
create or replace function app.minor_units(currency text) returns smallint
language sql immutable strict security invoker
return case
  when currency in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF') then 0
  when currency in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
  when currency in (
    'AED', 'AFN', 'ALL', 'AMD', 'AOA', 'ARS', 'AUD', 'AWG', 'AZN', 'BAM', 'BBD', 'BDT', 'BMD', 'BND', 'BOB', 'BRL', 'BSD', 'BTN', 'BWP',
    'BYN', 'BZD', 'CAD', 'CDF', 'CHF', 'CNY', 'COP', 'CRC', 'CUP', 'CVE', 'CZK', 'DKK', 'DOP', 'DZD', 'EGP', 'ERN', 'ETB', 'EUR', 'FJD',
    'FKP', 'GBP', 'GEL', 'GHS', 'GIP', 'GMD', 'GTQ', 'GYD', 'HKD', 'HNL', 'HTG', 'HUF', 'IDR', 'ILS', 'INR', 'IRR', 'JMD', 'KES', 'KGS',
    'KHR', 'KPW', 'KYD', 'KZT', 'LAK', 'LBP', 'LKR', 'LRD', 'LSL', 'MAD', 'MDL', 'MGA', 'MKD', 'MMK', 'MNT', 'MOP', 'MRU', 'MUR', 'MVR',
    'MWK', 'MXN', 'MYR', 'MZN', 'NAD', 'NGN', 'NIO', 'NOK', 'NPR', 'NZD', 'PAB', 'PEN', 'PGK', 'PHP', 'PKR', 'PLN', 'QAR', 'RON', 'RSD',
    'RUB', 'SAR', 'SBD', 'SCR', 'SDG', 'SEK', 'SGD', 'SHP', 'SLE', 'SOS', 'SRD', 'SSP', 'STN', 'SVC', 'SYP', 'SZL', 'THB', 'TJS', 'TMT',
    'TOP', 'TRY', 'TTD', 'TWD', 'TZS', 'UAH', 'USD', 'UYU', 'UZS', 'VED', 'VES', 'WST', 'XCD', 'XCG', 'YER', 'ZAR', 'ZMW', 'ZWG') then 2
end::smallint;

comment on function app.minor_units(text) is 'How many decimals an amount in a currency has, by ISO 4217; null for no currency.';
--! EndIncluded app/functions/minor_units.sql
--! Included valuation/functions/change.sql
-- A change of estimate: terms that apply to an item from a day on. A null term stays as it was.
-- It depreciates the carrying amount of that day and leaves earlier days unchanged (IAS 8.36).
do $$
begin
  if pg_catalog.to_regtype('valuation.change') is null then
    create type valuation.change as (
      effective_on date,
      depreciation_method text,
      useful_life_months integer, -- since the acquisition
      residual_value numeric,
      depreciation_rate numeric,  -- percent a year
      switches_to_straight_line text -- yes, no or floor
    );
  end if;
  if pg_catalog.to_regtype('valuation.category_terms') is null then
    create type valuation.category_terms as (
      category text,
      depreciation_rate numeric, -- percent a year; null: by method and life
      switches_to_straight_line text
    );
  end if;
end
$$;

comment on type valuation.category_terms is
  'How a studio depreciates the items of a category that have no rate or switch of their own.';
comment on type valuation.change is 'A change of estimate of an item, from its day on.';
--! EndIncluded valuation/functions/change.sql
--! Included valuation/functions/whole_months.sql
-- Counts the whole months from one day to another: the largest n with from_day + n months <= to_day. It
-- is negative if to_day is earlier. 31 January and one month are the last day of February.
create or replace function valuation.whole_months(from_day date, to_day date) returns integer
language sql immutable security invoker parallel safe
return ((pg_catalog.date_part('year', to_day) - pg_catalog.date_part('year', from_day)) * 12
  + pg_catalog.date_part('month', to_day) - pg_catalog.date_part('month', from_day)
  - case when pg_catalog.date_part('day', from_day) > pg_catalog.date_part('day', to_day)
      and pg_catalog.date_part('day', to_day + 1) > 1 then 1 else 0 end)::integer;

comment on function valuation.whole_months(date, date) is 'Whole calendar months from one day to another.';
--! EndIncluded valuation/functions/whole_months.sql
--! Included valuation/functions/annual_rate.sql
-- Gives the share of its value that an item loses in a year by a declining method. It is at most 1,
-- and null for any other method.
--   given  the item's own rate in percent. Null: the rate is 150 % (declining_balance) or 200 %,
--          divided by the useful life in years
create or replace function valuation.annual_rate(method text, life integer, given numeric) returns numeric
language sql immutable security invoker parallel safe
return case
  when method not in ('declining_balance', 'double_declining_balance') then null
  when given is not null then least(given / 100, 1)::numeric(42,40)
  else least((case method when 'declining_balance' then 18 else 24 end)::numeric(42,40) / life, 1)
end;

comment on function valuation.annual_rate(text, integer, numeric) is 'The annual rate of a declining method.';
--! EndIncluded valuation/functions/annual_rate.sql
--! Included valuation/functions/year_of.sql
-- Gives the first day of the financial year in which a day is. Financial years begin with the month
-- that is given.
create or replace function valuation.year_of(day date, first_month integer) returns date
language sql immutable security invoker parallel safe
return pg_catalog.make_date(
  pg_catalog.date_part('year', day)::integer
    - case when pg_catalog.date_part('month', day)::integer < first_month then 1 else 0 end, first_month, 1);

comment on function valuation.year_of(date, integer) is 'The first day of the financial year in which a day is.';
--! EndIncluded valuation/functions/year_of.sql
--! Included valuation/functions/plan.sql
-- A plan says how an item depreciates: its cost, when it starts, and its terms from each age on. An age
-- is the number of months charged since starts_on; the conventions mid_month and day give fractions of
-- months. An item has no plan if its method, price or date of acquisition is missing.
do $$
begin
  if pg_catalog.to_regtype('valuation.plan') is null then
    create type valuation.term as (
      age numeric,
      method text,
      life integer,       -- months in all; by a given rate without a switch it does not count
      residual_value numeric,
      rate numeric(42,40), -- a year, of a declining method; else null
      given_rate numeric, -- percent, where it was given
      switches text,      -- no, yes: to an even spread of the rest, floor: to the straight line of the term
      effective_on date   -- null: from the beginning
    );
    create type valuation.plan as (
      cost numeric,
      decimals integer,
      starts_on date,
      convention text,    -- item: by the months and years of the item itself
      year_starts integer,
      first_year_months numeric,
      terms valuation.term[]
    );
  end if;
end
$$;

comment on type valuation.term is 'The terms by which an item depreciates from some age on.';
comment on type valuation.plan is 'How an item depreciates: cost, beginning and terms.';
--! EndIncluded valuation/functions/plan.sql
--! Included valuation/functions/age_by_day.sql
-- Gives what valuation.age() gives, for the convention 'day': each day counts as its part of a year's
-- twelve months, so the number has a fraction.
create or replace function valuation.age_by_day(starts_on date, first_year_months numeric, year_starts integer, as_of date)
returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  month date := as_of - (pg_catalog.date_part('day', as_of)::integer - 1);
  first_year date;
  this_year date;
begin
  if month <= starts_on then
    return case when as_of < starts_on then -1 else 0 end;
  end if;
  first_year := valuation.year_of(starts_on, year_starts);
  this_year := valuation.year_of(month, year_starts);
  return first_year_months - 12
    + 12 * (pg_catalog.date_part('year', this_year) - pg_catalog.date_part('year', first_year))::integer
    + 12::numeric(42,40) * (month - this_year) / ((this_year + interval '1 year')::date - this_year);
end
$$;

comment on function valuation.age_by_day(date, numeric, integer, date) is
  'How many months of depreciation an item has at the beginning of a day, by days of the year.';
--! EndIncluded valuation/functions/age_by_day.sql
--! Included valuation/functions/age.sql
-- Says how many months an item has depreciated by the beginning of a day, by the terms of its plan. A
-- month counts when it has ended. The number is negative before depreciation starts.
create or replace function valuation.age(
  convention text, starts_on date, first_year_months numeric, year_starts integer, as_of date
) returns numeric
language sql immutable security invoker parallel safe
return case
  when convention = 'day' then valuation.age_by_day(starts_on, first_year_months, year_starts, as_of)
  when convention = 'mid_month' and valuation.whole_months(starts_on, as_of) > 0
    then valuation.whole_months(starts_on, as_of) - 0.5
  else valuation.whole_months(starts_on, as_of)
end;

comment on function valuation.age(text, date, numeric, integer, date) is
  'How many months of depreciation an item has at the beginning of a day.';
--! EndIncluded valuation/functions/age.sql
--! Included valuation/functions/starts_on.sql
-- The day on which depreciation starts, by the convention for the first period:
--   item         on the day of acquisition: full_month without a financial year
--   full_month   the month of acquisition counts whole
--   half_year    from the seventh month of the year of acquisition
--   mid_month    the first and the last month count half
--   day          by days of the year, from the day of acquisition
create or replace function valuation.starts_on(convention text, year_starts integer, acquired date) returns date
language sql immutable security invoker parallel safe
return case convention
  when 'item' then acquired
  when 'day' then acquired
  when 'half_year' then (valuation.year_of(acquired, year_starts) + interval '6 months')::date
  else acquired - (pg_catalog.date_part('day', acquired)::integer - 1)
end;

comment on function valuation.starts_on(text, integer, date) is
  'The day on which depreciation starts, by the convention for the first period.';
--! EndIncluded valuation/functions/starts_on.sql
--! Included valuation/functions/first_year_months.sql
-- Says how many months an item depreciates in its first year. valuation.starts_on() explains the
-- conventions on which this depends.
create or replace function valuation.first_year_months(convention text, year_starts integer, starts_on date) returns numeric
language sql immutable security invoker parallel safe
return case convention
  when 'item' then 12
  when 'half_year' then 6
  when 'day' then 12 - 12::numeric(42,40) * (starts_on - valuation.year_of(starts_on, year_starts))
    / ((valuation.year_of(starts_on, year_starts) + interval '1 year')::date - valuation.year_of(starts_on, year_starts))
  else 12 - (pg_catalog.date_part('month', starts_on)::integer - year_starts + 12) % 12
    - case when convention = 'mid_month' then 0.5 else 0 end
end;

comment on function valuation.first_year_months(text, integer, date) is 'How many months the first year of an item has.';
--! EndIncluded valuation/functions/first_year_months.sql
--! Included valuation/functions/plan_of.sql
-- The plan of an item, by the studio's financial year and its convention for the first period
-- (valuation.starts_on()). An item without a life or a residual value takes those of its category.
-- One without a rate or a switch takes the studio's terms for the category. The default rate is 150
-- or 200 % / useful life in years.
create or replace function valuation.plan_of(item app.items, category app.categories, studio app.studios) returns valuation.plan
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  decimals integer := studio.minor_units;
  convention text := case when studio.first_period = 'full_month' and studio.financial_year_start_month is null then 'item'
    else studio.first_period end;
  year_starts integer := coalesce(studio.financial_year_start_month, 1);
  starts_on date;
  first_months numeric;
  age numeric := 0;
  method text := item.depreciation_method;
  life integer := coalesce(item.useful_life_months, category.useful_life_months);
  residual numeric;
  given_rate numeric := item.depreciation_rate;
  switches text := item.switches_to_straight_line;
  terms valuation.term[];
  change valuation.change;
begin
  if coalesce(item.purchase_price, 0) = 0 or item.acquisition_date is null
     or (item.depreciation_method = 'none' and item.depreciation_changes is null) then
    return null;
  end if;
  starts_on := valuation.starts_on(convention, year_starts, item.acquisition_date);
  first_months := valuation.first_year_months(convention, year_starts, starts_on);
  residual := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, decimals));
  if studio.category_terms is not null then
    select coalesce(given_rate, c.depreciation_rate), coalesce(switches, c.switches_to_straight_line) into given_rate, switches
    from (select item.category as name) as i
    left join pg_catalog.unnest(studio.category_terms) as c on c.category = i.name;
  end if;
  switches := coalesce(switches, 'no');
  -- PostgreSQL makes one row much faster than it sets its fields one by one.
  terms := array[(age, method, life, residual, valuation.annual_rate(method, life, given_rate), given_rate, switches,
    null)::valuation.term];
  if item.depreciation_changes is not null then
    foreach change in array item.depreciation_changes loop
      age := greatest(valuation.age(convention, starts_on, first_months, year_starts, change.effective_on), 0);
      method := coalesce(change.depreciation_method, method);
      life := coalesce(change.useful_life_months, life);
      residual := coalesce(change.residual_value, residual);
      given_rate := coalesce(change.depreciation_rate, given_rate);
      switches := coalesce(change.switches_to_straight_line, switches);
      terms := terms || (age, method, life, residual, valuation.annual_rate(method, life, given_rate), given_rate, switches,
        change.effective_on)::valuation.term;
    end loop;
  end if;
  return (item.purchase_price, decimals, starts_on, convention, year_starts, first_months, terms)::valuation.plan;
end
$$;

comment on function valuation.plan_of(app.items, app.categories, app.studios) is
  'How an item depreciates by its studio''s financial year and convention; null when it does not.';
--! EndIncluded valuation/functions/plan_of.sql
--! Included valuation/functions/period.sql
-- An item loses value evenly over a period, which is its useful life (straight line) or one year. Its
-- value at an age within the period is opening_value - charge * (age - began) / months.
do $$
begin
  if pg_catalog.to_regtype('valuation.period') is null then
    create type valuation.period as (
      term integer,          -- which of the plan's
      past_years integer,    -- of the term that are over; of a declining method, else null
      began numeric,         -- an age
      months numeric,
      opening_value numeric, -- not rounded
      charge numeric         -- of the whole period, not rounded
    );
  end if;
end
$$;

comment on type valuation.period is 'A stretch in which an item loses value evenly.';
--! EndIncluded valuation/functions/period.sql
--! Included valuation/functions/worth.sql
-- The value of an item at an age, rounded half up to the currency's minor unit.
-- A value computed with a periodic rate such as 1/3 can end just below half a cent that it should
-- reach. So it is rounded to 20 decimals first, and then to the minor unit.
create or replace function valuation.worth(periods valuation.period[], age numeric, decimals integer) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  p valuation.period;
  n integer := pg_catalog.cardinality(periods);
begin
  while n > 1 and (periods[n]).began > age loop
    n := n - 1;
  end loop;
  p := periods[n];
  return round(round(
    p.opening_value - p.charge * least(greatest(age - p.began, 0), p.months) / p.months, 20), decimals);
end
$$;

comment on function valuation.worth(valuation.period[], numeric, integer) is 'The value of an item at an age.';
--! EndIncluded valuation/functions/worth.sql
--! Included valuation/functions/depreciate.sql
-- Returns the periods of a plan from the age from_age to the age to_age, in order.
-- The value starts at cost; new terms start at the carrying amount. It stops at the residual value.
--   straight_line              an equal charge each month of the useful life
--   declining_balance          each year the annual rate of the value at the year's beginning,
--                              1.5 times the straight-line rate unless the item has its own
--   double_declining_balance   the same at 2 times
-- The months of a year share its charge equally. The life's last year charges the whole remainder.
-- With a switch, straight line takes over in the first year in which it charges as much:
--   yes     an even spread of the rest over the remaining life
--   floor   the straight line from the beginning of the terms, until the residual value
-- A rate of the item's own without a switch ignores the useful life.
-- If new terms have a life that is already over, the next month charges the remainder.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciate(plan valuation.plan, from_age numeric, to_age numeric)
returns valuation.period[]
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  found valuation.period[] := '{}';
  p valuation.period;
  t valuation.term;
  ends numeric;      -- the age at which the terms change; null: never
  life_ends numeric; -- null: never
  floor_value numeric;
  year_ends numeric;
  skipped integer;
  even_charge numeric; -- by straight line over even_months; null: it never takes over
  even_months numeric;
begin
  t := plan.terms[1];
  -- Most items depreciate by a single straight line.
  if t.rate is null and pg_catalog.cardinality(plan.terms) = 1 then
    return array[(1, null, 0, t.life, plan.cost, plan.cost - least(t.residual_value, plan.cost))::valuation.period];
  end if;
  p.opening_value := plan.cost;
  p.began := 0;
  for n in 1 .. pg_catalog.cardinality(plan.terms) loop
    t := plan.terms[n];
    ends := (plan.terms[n + 1]).age;
    if n > 1 then
      exit when t.age > greatest(to_age, 0); -- the terms of the beginning hold before it, too
      if pg_catalog.cardinality(found) > 0 then
        p.opening_value := valuation.worth(found, t.age, plan.decimals);
      end if;
      p.began := t.age;
    end if;
    continue when ends <= p.began;
    p.term := n;
    p.past_years := case when t.rate is not null then 0 end;
    floor_value := least(t.residual_value, p.opening_value);
    life_ends := case when t.method = 'none' or (t.given_rate is not null and t.rate is not null and t.switches = 'no') then null
      when t.life > p.began then t.life else p.began + 1 end;
    if t.rate is null then
      p.months := coalesce(life_ends - p.began, 1);
      p.charge := case when t.method = 'none' then 0 else p.opening_value - floor_value end;
      found := found || p;
      continue;
    end if;

    year_ends := plan.first_year_months;
    if p.began >= year_ends then
      year_ends := year_ends + 12 * (floor((p.began - year_ends) / 12) + 1);
    end if;
    -- At the end of an item's life the last year ends, and no other begins.
    skipped := floor((least(from_age, ends, life_ends) - year_ends) / 12) + 1;
    if skipped > 0 and year_ends + 12 * (skipped - 1) >= life_ends then
      skipped := skipped - 1;
    end if;
    if skipped > 0 and t.switches = 'no' then
      p.past_years := skipped;
      p.opening_value := greatest(floor_value, p.opening_value * (1 - t.rate * (year_ends - p.began) / 12)
        * power(1 - t.rate, skipped - 1));
      p.began := year_ends + 12 * (skipped - 1);
      year_ends := p.began + 12;
    end if;
    even_charge := case when t.switches <> 'no' then p.opening_value - floor_value end;
    even_months := life_ends - p.began;
    loop
      p.months := year_ends - p.began;
      p.charge := least(p.opening_value * t.rate * p.months / 12, p.opening_value - floor_value);
      if t.switches = 'yes' then
        even_charge := p.opening_value - floor_value;
        even_months := life_ends - p.began;
      end if;
      if year_ends >= life_ends or even_charge * p.months >= p.charge * even_months then
        p.charge := p.opening_value - floor_value;
        p.months := coalesce(p.charge * even_months / nullif(even_charge, 0), life_ends - p.began);
        found := found || p;
        exit;
      end if;
      found := found || p;
      -- Less than half a cent above the residual value is the residual value from then on.
      exit when year_ends > to_age or year_ends >= ends
        or p.opening_value - p.charge - floor_value < 0.5 / 10::numeric ^ plan.decimals;
      p.opening_value := round(p.opening_value - p.charge, 40);
      p.began := year_ends;
      p.past_years := p.past_years + 1;
      year_ends := year_ends + 12;
    end loop;
  end loop;
  return found;
end
$$;

comment on function valuation.depreciate(valuation.plan, numeric, numeric) is
  'The periods of a plan between two ages.';
--! EndIncluded valuation/functions/depreciate.sql
--! Included valuation/functions/worth_on.sql
-- Gives the book value of an item at the beginning of a day, by its plan; null if no terms
-- by which it depreciates have applied by then.
create or replace function valuation.worth_on(plan valuation.plan, as_of date) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  age numeric := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, as_of);
  periods valuation.period[] := valuation.depreciate(plan, age, age);
  last valuation.period := periods[pg_catalog.cardinality(periods)];
begin
  -- The method none charges nothing, so the item keeps the value with which these terms began. If
  -- that is the cost, it has not depreciated.
  if (plan.terms[last.term]).method = 'none' and last.opening_value = plan.cost then
    return null;
  end if;
  return valuation.worth(periods, age, plan.decimals);
end
$$;

comment on function valuation.worth_on(valuation.plan, date) is
  'The value of an item that depreciates at the beginning of a day, by its plan.';
--! EndIncluded valuation/functions/worth_on.sql
--! Included valuation/functions/declined.sql
-- The value of an item at an age, by a declining method without a switch. It gives in one step what
-- valuation.depreciate() and valuation.worth() give together.
--   floor_value   the residual value, at most the cost
--   life          in months. Null: no life ends the decline, which stops only at floor_value
create or replace function valuation.declined(
  cost numeric, floor_value numeric, life integer, rate numeric, first_year_months numeric, age numeric, decimals integer
) returns numeric
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  years integer; -- that are over
  opening numeric := cost;
  began numeric := 0;
  months numeric := first_year_months;
  charge numeric;
begin
  if age >= life then
    return round(floor_value, decimals);
  end if;
  if age >= first_year_months then
    years := floor((age - first_year_months) / 12) + 1;
    opening := greatest(floor_value, cost * (1 - rate * first_year_months / 12) * power(1 - rate, years - 1));
    began := first_year_months + 12 * (years - 1);
    months := 12;
  end if;
  if age <= began then
    return round(round(opening, 20), decimals);
  elsif began + months >= life then
    months := life - began;
    charge := opening - floor_value;
  else
    charge := least(opening * rate * months / 12, opening - floor_value);
  end if;
  return round(round(opening - charge * (age - began) / months, 20), decimals);
end
$$;

comment on function valuation.declined(numeric, numeric, integer, numeric, numeric, numeric, integer) is
  'The value of an item at an age by a declining method without a switch.';
--! EndIncluded valuation/functions/declined.sql
--! Included valuation/functions/usual_worth.sql
-- Gives the value of an item at an age in months, by the terms that valuation.item_terms() returns for
-- an item without a plan (is_usual).
create or replace function valuation.usual_worth(
  cost numeric, floor_value numeric, life integer, rate numeric, first_year_months numeric, age numeric, decimals integer
) returns numeric
language sql immutable security invoker parallel safe
return case when rate is null
  then round(round(cost - (cost - floor_value) * least(greatest(age, 0), life) / life, 20), decimals)
  else valuation.declined(cost, floor_value, life, rate, first_year_months, age, decimals)
end;

comment on function valuation.usual_worth(numeric, numeric, integer, numeric, numeric, numeric, integer) is
  'The value of an item on the usual terms at an age.';
--! EndIncluded valuation/functions/usual_worth.sql
--! Included valuation/functions/item_terms.sql
-- Returns the items of the session's studio with the terms by which they depreciate. This takes a tenth
-- of the time of valuation.plan_of() for each item. An item has a plan only if its estimates changed or
-- it switches to straight line.
--   depreciating   only items that depreciate
--   with_ends      whether an item also has a plan if its rate is given, so that its life does not
--                  count: the plan says when it ends
--   gone_on        the day of disposal, else of archiving; null for an item in the books
--   is_usual       true: the terms count; false: the plan does; null: it does not depreciate
--   life           in months; null if a given rate makes it irrelevant
--   first_year_months   null if the terms do not need it
-- Only studio_owner may call it. Each step is a query in FROM, because PostgreSQL cannot pass the
-- outer columns of a LATERAL query to parallel workers.
create or replace function valuation.item_terms(depreciating boolean, with_ends boolean)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, created_at timestamptz, is_archived boolean, gone_on date, disposal_proceeds numeric,
  purchase_price numeric, manual_value numeric, replacement_cost numeric, reported_insured_value numeric, external_key text,
  timezone text, is_usual boolean, plan valuation.plan, floor_value numeric, life integer, rate numeric,
  convention text, year_starts integer, starts_on date, first_year_months numeric, decimals integer
)
language sql stable security invoker parallel safe
begin atomic
  select
    t.id, t.name, t.manufacturer, t.model, t.serial_number, t.barcode, t.category, t.location_id, t.acquisition_date, t.created_at,
    t.is_archived, t.gone_on, t.disposal_proceeds, t.purchase_price, t.manual_value, t.replacement_cost,
    t.reported_insured_value, t.external_key, t.timezone, t.is_usual, t.plan, t.floor_value, t.life, t.rate, t.convention,
    t.year_starts, t.starts_on,
    case when t.rate is not null or t.convention <> 'item' then valuation.first_year_months(t.convention, t.year_starts, t.starts_on) end,
    t.decimals
  from (
    select
      u.*,
      case when u.is_usual is not null then valuation.starts_on(u.convention, u.year_starts, u.acquisition_date) end as starts_on,
      case when u.is_usual is not null then valuation.annual_rate(u.depreciation_method, u.whole_life, u.given_rate) end as rate,
      case when u.given_rate is null or u.depreciation_method = 'straight_line' then u.whole_life end as life,
      case when u.is_usual is not null then least(
        coalesce(u.residual_value, round(u.purchase_price * u.residual_rate, u.decimals)), u.purchase_price) end as floor_value,
      case when not u.is_usual or (item_terms.with_ends and u.is_usual and u.given_rate is not null
          and u.depreciation_method <> 'straight_line')
        then valuation.plan_of(u.item, u.of_category, u.studio) end as plan
    from (
      select
        i.*, coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date) as gone_on, i.archived_at is not null as is_archived,
        s.timezone, s.minor_units::integer as decimals, s as studio,
        c.c as of_category, c.residual_rate, coalesce(i.useful_life_months, c.useful_life_months) as whole_life,
        coalesce(i.depreciation_rate, t.depreciation_rate) as given_rate,
        case when i.depreciates then i.depreciation_changes is null and (i.depreciation_method = 'straight_line'
          or coalesce(i.switches_to_straight_line, t.switches_to_straight_line, 'no') = 'no') end as is_usual,
        case when s.first_period = 'full_month' and s.financial_year_start_month is null then 'item' else s.first_period end
          as convention,
        coalesce(s.financial_year_start_month, 1)::integer as year_starts
      from app.studios s
      cross join (
        select
          i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.location_id, i.acquisition_date,
          i.created_at::timestamptz as created_at, i.archived_at, i.disposed_on, i.disposal_proceeds::numeric as disposal_proceeds,
          i.purchase_price::numeric as purchase_price, i.manual_value::numeric as manual_value,
          i.replacement_cost::numeric as replacement_cost, i.reported_insured_value::numeric as reported_insured_value,
          i.external_key, i.depreciation_method, i.depreciation_changes, i.useful_life_months, i.depreciation_rate,
          i.switches_to_straight_line, i.residual_value::numeric as residual_value,
          (i.depreciation_method <> 'none' or i.depreciation_changes is not null) and i.purchase_price <> 0
            and i.acquisition_date is not null as depreciates,
          -- PostgreSQL takes long to make a whole row, so it makes one only for items that need a
          -- plan. This condition must cover all of them: without the row, plan_of() finds no
          -- depreciation.
          case when i.depreciation_changes is not null or (i.depreciation_method in ('declining_balance', 'double_declining_balance')
              and (i.switches_to_straight_line <> 'no' or i.depreciation_rate is not null
                or (select s.category_terms is not null from app.studios s where s.id = (select access.current_studio_id()))))
            then i end as item
        from app.items i
        where i.studio_id = (select access.current_studio_id())
          and (not item_terms.depreciating or (i.depreciation_method <> 'none' or i.depreciation_changes is not null)
            and i.purchase_price <> 0 and i.acquisition_date is not null)
        offset '0'
      ) as i
      -- PostgreSQL reads this once, even for a login that is set to use indexes.
      left join (select c, c.name, c.useful_life_months, c.residual_rate from app.categories c offset '0') as c on c.name = i.category
      left join pg_catalog.unnest((
        select s.category_terms from app.studios s where s.id = (select access.current_studio_id()))) as t on t.category = i.category
      where s.id = (select access.current_studio_id())
      offset '0'
    ) as u
    offset '0'
  ) as t
  offset '0';
end;

comment on function valuation.item_terms(boolean, boolean) is
  'The items of the session''s studio and the terms by which they depreciate.';
--! EndIncluded valuation/functions/item_terms.sql
--! Included valuation/functions/is_held.sql
-- Whether an item is in the inventory at the end of a day of the studio's calendar. It enters on its
-- acquisition or creation day, whichever is earlier, and leaves on its disposal day, else its
-- archiving day (gone_on). An archived item is not in it today or later.
create or replace function valuation.is_held(
  day date, acquired_on date, created_on date, gone_on date, is_archived boolean, today date
) returns boolean
language sql immutable security invoker parallel safe
return (acquired_on <= day or created_on <= day) and (not is_archived or (day < gone_on and day < today));

comment on function valuation.is_held(date, date, date, date, boolean, date) is
  'Whether an item is in its studio''s inventory at the end of a day.';
--! EndIncluded valuation/functions/is_held.sql
--! Included valuation/functions/value_source.sql
-- Names the source that gives an item its value: the first of market, manual, depreciated, purchase
-- price (if above 0) and replacement cost that it has, else unknown. v1 never returns 'agreed'.
-- spec: value_source values.
create or replace function valuation.value_source(
  market_value numeric, manual_value numeric, depreciated_value numeric, purchase_price numeric, replacement_cost numeric
) returns text
language sql immutable security invoker parallel safe
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
-- Compares the insured value of an item with its estimated value (null: unknown).
-- It does not say whether insurance would pay. spec: coverage_state values.
create or replace function valuation.coverage_state(estimated_value numeric, insured_value numeric) returns text
language sql immutable security invoker parallel safe
return case
  when estimated_value is null then 'value_unknown'
  when insured_value = 0 then 'uninsured'
  when insured_value < estimated_value then 'under_covered'
  else 'fully_covered'
end;

comment on function valuation.coverage_state(numeric, numeric) is
  'fully_covered, under_covered, uninsured or value_unknown, by estimated and insured value.';
--! EndIncluded valuation/functions/coverage_state.sql
--! Included valuation/functions/breakdown.sql
-- The valuation of an item with its derivation: terms in force, current period, sources, result.
--   revalue_on  the day on which it changes without a write; null: never
do $$
begin
  if pg_catalog.to_regtype('valuation.breakdown') is null then
    create type valuation.breakdown as (
      depreciation_method text, -- this and the next two are the terms in force
      useful_life_months integer,
      residual_value numeric,
      depreciates_from date,
      months numeric, -- the months of depreciation by that day; negative before it begins
      first_year_months numeric,
      annual_rate numeric(42,40),
      given_rate numeric,
      switches text, -- only a declining method has this and the rates
      changed_on date, -- the day from which these terms hold; null: from the beginning
      carried_value numeric, -- the value with which these terms began
      changed_at_age numeric,
      past_years integer,
      began numeric, -- the age at which the period begins
      opening_value numeric,
      charge numeric,
      period_months numeric,
      months_in_period numeric,
      depreciated_value numeric,
      book_value numeric,
      market_value numeric,
      current_estimated_value numeric,
      value_source text,
      coverage_state text,
      gap_amount numeric,
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.breakdown is 'How the value of an item comes about, and the value.';
--! EndIncluded valuation/functions/breakdown.sql
--! Included valuation/functions/value_item.sql
-- Values one item as of a day, and says how. It reads no table, and never raises for a stored item.
--   market_value   the last one known by that day; null if there is none
--   gap_amount     estimated minus insured value, negative for an item declared for more
--   book_value     the depreciated value, else the purchase price
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.value_item(
  item app.items, category app.categories, studio app.studios, market_value numeric, as_of date
)
returns valuation.breakdown
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  plan valuation.plan;
  periods valuation.period[];
  p valuation.period;
  t valuation.term;
  months numeric;
  carried numeric;
  depreciates boolean := false;
  passed numeric; -- months of the period
  depreciated numeric;
  value numeric;
  revalue_on date;
begin
  if item.depreciation_method <> 'none' or item.depreciation_changes is not null then
    plan := valuation.plan_of(item, category, studio);
  end if;
  if plan.cost is not null then
    months := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, as_of);
    periods := valuation.depreciate(plan, months, months);
    p := periods[pg_catalog.cardinality(periods)];
    t := plan.terms[p.term];
    carried := case when p.term = 1 then plan.cost
      else valuation.worth(valuation.depreciate(plan, t.age, t.age), t.age, plan.decimals) end;
    depreciates := t.method <> 'none' or carried <> plan.cost;
    if depreciates then
      passed := least(greatest(months - p.began, 0), p.months);
      depreciated := round(round(p.opening_value - p.charge * passed / p.months, 20), plan.decimals);
      -- While the book value falls, the next month changes it, even if another source gives the
      -- value.
      if depreciated > t.residual_value and t.method <> 'none' then
        revalue_on := case plan.convention
          when 'item' then plan.starts_on + pg_catalog.make_interval(months => greatest(months, 0)::integer + 1)
          else pg_catalog.date_trunc('month', greatest(as_of, plan.starts_on)::timestamp) + interval '1 month' end::date;
      end if;
    end if;
  end if;
  value := coalesce(market_value, item.manual_value, depreciated, nullif(item.purchase_price, 0), item.replacement_cost);
  -- PostgreSQL makes one row much faster than it sets its fields one by one.
  return (
    case when plan.cost is null then item.depreciation_method else t.method end,
    case when plan.cost is null then coalesce(item.useful_life_months, category.useful_life_months) else t.life end,
    case when plan.cost is not null then t.residual_value
      else coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, studio.minor_units)) end,
    plan.starts_on, months, plan.first_year_months, t.rate, case when t.rate is not null then t.given_rate end,
    case when t.rate is not null then t.switches end, t.effective_on, carried,
    case when depreciates then t.age end, case when depreciates then p.past_years end, case when depreciates then p.began end,
    case when depreciates then p.opening_value end, case when depreciates then p.charge end, case when depreciates then p.months end,
    passed, depreciated, coalesce(depreciated, nullif(item.purchase_price, 0)), market_value, value,
    valuation.value_source(market_value, item.manual_value, depreciated, item.purchase_price, item.replacement_cost),
    valuation.coverage_state(value, item.reported_insured_value), value - item.reported_insured_value, revalue_on
  )::valuation.breakdown;
end
$$;

comment on function valuation.value_item(app.items, app.categories, app.studios, numeric, date) is
  'Applies the rules of valuation to one item as of a day, and says how.';
--! EndIncluded valuation/functions/value_item.sql
--! Included valuation/functions/assessment.sql
-- The valuation of one item.
--   revalue_on  the day on which it changes without a write; null: never
do $$
begin
  if pg_catalog.to_regtype('valuation.assessment') is null then
    create type valuation.assessment as (
      current_estimated_value numeric,
      value_source text,
      coverage_state text,
      gap_amount numeric,
      book_value numeric,
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.assessment is 'What the rules of valuation say of one item.';
--! EndIncluded valuation/functions/assessment.sql
--! Included valuation/functions/plain_value.sql
-- Gives the value of an item that does not depreciate; null when nothing says what it is worth.
create or replace function valuation.plain_value(item app.items) returns numeric
language sql immutable security invoker
return coalesce(item.market_value, item.manual_value, nullif(item.purchase_price, 0), item.replacement_cost);

comment on function valuation.plain_value(app.items) is 'The value of an item that does not depreciate.';
--! EndIncluded valuation/functions/plain_value.sql
--! Included valuation/functions/assess_depreciation.sql
-- Values any item as of a day, whether it depreciates or not. valuation.assess() calls it for those
-- that do.
create or replace function valuation.assess_depreciation(
  item app.items, category app.categories, studio app.studios, as_of date
) returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown := valuation.value_item(item, category, studio, item.market_value, as_of);
begin
  return (b.current_estimated_value, b.value_source, b.coverage_state, b.gap_amount, b.book_value, b.revalue_on)::valuation.assessment;
end
$$;

comment on function valuation.assess_depreciation(app.items, app.categories, app.studios, date) is
  'Applies the rules of valuation to one item, which may depreciate.';
--! EndIncluded valuation/functions/assess_depreciation.sql
--! Included valuation/functions/assess.sql
-- Values one item as of a day, with its present market value. The result is that of
-- valuation.value_item(). It takes a tenth of the time for an item that does not depreciate.
create or replace function valuation.assess(item app.items, category app.categories, studio app.studios, as_of date)
returns valuation.assessment
language sql immutable security invoker
return case
  when item.depreciation_method = 'none' and item.depreciation_changes is null then (
    valuation.plain_value(item),
    valuation.value_source(item.market_value, item.manual_value, null, item.purchase_price, item.replacement_cost),
    valuation.coverage_state(valuation.plain_value(item), item.reported_insured_value),
    valuation.plain_value(item) - item.reported_insured_value,
    nullif(item.purchase_price, 0),
    null
  )::valuation.assessment
  else valuation.assess_depreciation(item, category, studio, as_of)
end;

comment on function valuation.assess(app.items, app.categories, app.studios, date) is
  'Applies the rules of valuation to one item as of a day.';
--! EndIncluded valuation/functions/assess.sql
--! Included valuation/functions/inventory.sql
-- The inventory of the session's studio at the end of a day (valuation.is_held()).
--   item_id   only this item; null: all. The condition is a range of ids, because then one plan uses
--             the index of the key in both cases. PostgreSQL does not consider coalesce() leakproof,
--             so it would not compare it with the index
-- Only studio_owner may call it.
create or replace function valuation.inventory(day date, item_id uuid default null)
returns table (item app.items, studio app.studios)
language sql stable security invoker
begin atomic
  select i, s
  from app.studios s
  join app.items i on i.studio_id = s.id
  where s.id = (select access.current_studio_id())
    and i.id >= case when inventory.item_id is null then '00000000-0000-0000-0000-000000000000' else inventory.item_id end
    and i.id <= case when inventory.item_id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else inventory.item_id end
    and valuation.is_held(inventory.day, i.acquisition_date, (i.created_at at time zone s.timezone)::date,
      coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date), i.archived_at is not null,
      (select access.current_studio_today()));
end;

comment on function valuation.inventory(date, uuid) is 'The inventory of the session''s studio at the end of a day.';
--! EndIncluded valuation/functions/inventory.sql
--! Included valuation/functions/value_items.sql
-- The inventory of the session's studio at the end of a day, with each item's value and derivation.
-- It values items as of the next day, so that 31 March includes the charge of March.
--   item_id              only this item; null: all
--   market_value_as_of   when a source last reported that value, up to the day
-- Rounds market values, which may be in an earlier currency. Looks the category up for each item,
-- because the planner may turn a join into a scan by category.
-- Only studio_owner may call it.
create or replace function valuation.value_items(day date, item_id uuid default null)
returns table (
  item app.items, market_value_as_of timestamptz, studio app.studios, breakdown valuation.breakdown
)
language sql stable security invoker
begin atomic
  select
    v.item,
    case when (v.item).market_value = market.value
        and ((v.item).market_value_as_of at time zone (v.studio).timezone)::date <= value_items.day
      then greatest((v.item).market_value_as_of, market.as_of) else market.as_of end,
    v.studio, valued.breakdown
  from valuation.inventory(value_items.day, value_items.item_id) as v
  left join lateral (
    select h.value, h.as_of from app.market_value_history h
    where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= value_items.day
    order by h.id desc limit 1
  ) as market on true
  cross join lateral (
    select valuation.value_item(
      v.item, (select c from app.categories c where c.name = (v.item).category), v.studio,
      round(market.value, (v.studio).minor_units), value_items.day + 1) as breakdown
    -- A function in FROM would make a table of one row for each item, which is slow.
    offset 0
  ) as valued;
end;

comment on function valuation.value_items(date, uuid) is
  'The inventory of the session''s studio at the end of a day, and how every item''s value comes about.';
--! EndIncluded valuation/functions/value_items.sql
--! Included valuation/functions/market_values_on.sql
-- Returns the last market value of each item that the session's studio knew by a day. Values may have
-- the decimals of an earlier currency. The setting keeps PostgreSQL from inlining the function, so that
-- the planner expects the number in ROWS. Otherwise it expects as many values as an average studio has,
-- and compares each item with each value. Only studio_owner may call it.
create or replace function valuation.market_values_on(day date) returns table (item_id uuid, value numeric)
language sql stable security invoker parallel safe rows 20000
set search_path = ''
begin atomic
  select distinct on (h.item_id) h.item_id, h.value::numeric
  from app.market_value_history h
  where h.studio_id = (select access.current_studio_id()) and h.day <= market_values_on.day
  order by h.item_id, h.id desc;
end;

comment on function valuation.market_values_on(date) is 'The last market values of the session''s studio that were known by a day.';
--! EndIncluded valuation/functions/market_values_on.sql
--! Included valuation/functions/assess_items.sql
-- Returns the inventory of the session's studio at the end of a day, with each item's value. The
-- values are those of valuation.value_items(), which also derives them and takes several times as long.
-- Only studio_owner may call it.
create or replace function valuation.assess_items(day date)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, purchase_price numeric, current_estimated_value numeric, value_source text,
  reported_insured_value numeric, coverage_state text, gap_amount numeric, book_value numeric, replacement_cost numeric,
  external_key text
)
language sql stable security invoker parallel safe
begin atomic
  select
    v.id, v.name, v.manufacturer, v.model, v.serial_number, v.barcode, v.category, v.location_id, v.acquisition_date, v.purchase_price,
    v.value, valuation.value_source(v.market_value, v.manual_value, v.worth, v.purchase_price, v.replacement_cost),
    v.reported_insured_value, valuation.coverage_state(v.value, v.reported_insured_value), v.value - v.reported_insured_value,
    coalesce(v.worth, nullif(v.purchase_price, 0)), v.replacement_cost, v.external_key
  from (
    select w.*,
      coalesce(w.market_value, w.manual_value, w.worth, nullif(w.purchase_price, 0), w.replacement_cost) as value
    from (
      select
        t.*, round(market.value, t.decimals) as market_value,
        case
          when t.is_usual then valuation.usual_worth(
            t.purchase_price, t.floor_value, t.life, t.rate, t.first_year_months, t.age, t.decimals)
          when t.plan is not null then valuation.worth_on(t.plan, assess_items.day + 1)
        end as worth
      from (
        select t.*, case when t.is_usual then
          valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, assess_items.day + 1) end as age
        from valuation.item_terms(false, false) as t
        where valuation.is_held(assess_items.day, t.acquisition_date, (t.created_at at time zone t.timezone)::date, t.gone_on,
          t.is_archived, (select access.current_studio_today()))
        offset '0'
      ) as t
      left join valuation.market_values_on(assess_items.day) as market on market.item_id = t.id
      offset '0'
    ) as w
    offset '0'
  ) as v;
end;

comment on function valuation.assess_items(date) is
  'The inventory of the session''s studio at the end of a day, and each item''s value then.';
--! EndIncluded valuation/functions/assess_items.sql
--! Included valuation/functions/current_terms.sql
-- Returns what valuation takes from the session's studio and from each category, for views whose
-- readers may not read these tables. In a session of no studio it returns no row.
--   studio   has time zone, decimals, financial year, first period and category terms. Its other
--            columns are null
create or replace function valuation.current_terms()
returns table (
  today date, financial_year_start_month integer, category text, useful_life_months integer, residual_rate numeric, studio app.studios
)
language plpgsql stable security definer parallel safe rows 16
set search_path = ''
as $$
declare
  terms app.studios;
begin
  select s.timezone, s.minor_units, s.financial_year_start_month, s.first_period, s.category_terms
  into terms.timezone, terms.minor_units, terms.financial_year_start_month, terms.first_period, terms.category_terms
  from app.studios s where s.id = access.current_studio_id();
  if found then
    return query
      select day.today, terms.financial_year_start_month::integer, c.name, c.useful_life_months, c.residual_rate::numeric, terms
      from app.categories c cross join (select access.current_studio_today() as today offset 0) as day;
  end if;
end
$$;

comment on function valuation.current_terms() is 'What the rules of valuation take from the session''s studio and from each category.';
--! EndIncluded valuation/functions/current_terms.sql
--! Included valuation/functions/manual_value_of.sql
-- The manual value of an item of the session's studio, for views whose readers may not read the
-- column. Null if the item has none.
create or replace function valuation.manual_value_of(item_id uuid) returns numeric
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
begin
  return (select i.manual_value from app.items i where i.id = manual_value_of.item_id);
end
$$;

comment on function valuation.manual_value_of(uuid) is 'The manual value of an item of the session''s studio.';
--! EndIncluded valuation/functions/manual_value_of.sql
--! Included valuation/functions/explain_item.sql
-- Explains an item's value as of a day: inputs, the source used, the sources skipped, arithmetic.
-- Takes the item's columns, its category's terms and valuation.current_terms(), and reads nothing.
-- Arithmetic is text of one line, "<expression> = <result>". It shows a rate as a fraction (24 / 60
-- is 200 % over 60 months), because decimals may not end, and unrounded values with six decimals.
--   past_years, first_year_months   null unless the method declines
--   manual_value   comes back as given
create or replace function valuation.explain_item(
  purchase_price app.amount, acquisition_date date, depreciation_method text, useful_life_months integer, residual_value app.amount,
  depreciation_rate numeric, switches_to_straight_line text, depreciation_changes valuation.change[], market_value app.amount,
  market_value_as_of timestamptz, inout manual_value numeric, replacement_cost app.amount, reported_insured_value app.amount,
  category text, category_life integer, category_residual_rate numeric, studio app.studios, as_of date,
  out breakdown valuation.breakdown, out useful_life_from text, out residual_value_from text, out first_year_months numeric,
  out period_starts_on date, out opening_arithmetic text, out charge_arithmetic text, out passed_over text[], out arithmetic text
)
language plpgsql immutable security definer parallel safe
set search_path = ''
as $$
declare
  i app.items;
  c app.categories;
  s app.studios := studio;
  b valuation.breakdown;
  rate text;
  first_months numeric; -- the months of the first year by these terms
  full_years integer;
  opening text;
  charge text;
  carried text;
  floor_value numeric;
  product text;
  even_months numeric; -- over which the straight line of a floor spreads even_charge
  even_charge numeric;
  period_months text;
begin
  i.purchase_price := purchase_price;
  i.acquisition_date := acquisition_date;
  i.depreciation_method := depreciation_method;
  i.useful_life_months := useful_life_months;
  i.residual_value := residual_value;
  i.depreciation_rate := depreciation_rate;
  i.switches_to_straight_line := switches_to_straight_line;
  i.depreciation_changes := depreciation_changes;
  i.manual_value := manual_value;
  i.replacement_cost := replacement_cost;
  i.reported_insured_value := reported_insured_value;
  i.category := category;
  c.useful_life_months := category_life;
  c.residual_rate := category_residual_rate;
  b := valuation.value_item(i, c, s, market_value, as_of);

  breakdown := b;
  useful_life_from := case when useful_life_months is null and b.changed_on is null then 'category' else 'item' end;
  residual_value_from := case when residual_value is null and b.changed_on is null then 'category' else 'item' end;

  if b.opening_value is not null then
    opening := pg_catalog.trim_scale(round(b.opening_value, 6));
    charge := pg_catalog.trim_scale(round(b.charge, 6));
    carried := pg_catalog.trim_scale(b.carried_value);
    floor_value := pg_catalog.trim_scale(least(b.residual_value, b.carried_value));
    rate := case
      when b.annual_rate = 1 then '1'
      when b.given_rate is not null then pg_catalog.format('%s / 100', pg_catalog.trim_scale(b.given_rate))
      else pg_catalog.format('%s / %s',
        case b.depreciation_method when 'declining_balance' then 18 else 24 end, b.useful_life_months)
    end;
    period_starts_on := case
      when b.began = 0 then b.depreciates_from
      when b.began = b.changed_at_age then b.changed_on
      when s.first_period in ('mid_month', 'day') then
        (valuation.year_of(b.depreciates_from, coalesce(s.financial_year_start_month, 1))
          + pg_catalog.make_interval(years => round((b.began - b.first_year_months) / 12)::integer + 1))::date
      else (b.depreciates_from + pg_catalog.make_interval(months => b.began::integer))::date
    end;
    if coalesce(b.past_years, 0) > 0 then
      -- The full years, and a first year that may be shorter.
      first_months := b.began - 12 * (b.past_years - 1) - b.changed_at_age;
      full_years := b.past_years - case when first_months < 12 then 1 else 0 end;
      product := carried
        || case when first_months < 12 then pg_catalog.format(' * (1 - %s * %s / 12)', rate,
          pg_catalog.trim_scale(round(first_months, 6))) else '' end
        || case full_years when 0 then '' when 1 then pg_catalog.format(' * (1 - %s)', rate)
          else pg_catalog.format(' * (1 - %s) ^ %s', rate, full_years) end;
    end if;
    opening_arithmetic := case
      when product is null and b.changed_on is null then purchase_price || ', what was paid'
      when product is null then pg_catalog.format('%s, carried over from %s', carried, b.changed_on)
      when b.opening_value = floor_value then
        pg_catalog.format('%s, the residual value: %s is not more', floor_value, product)
      else pg_catalog.format('%s = %s', product, opening)
    end;
    charge_arithmetic := case
      when b.charge = b.opening_value - floor_value then opening || ' - ' || floor_value || ' = ' || charge
      else pg_catalog.format('%s * %s%s = %s', opening, rate, case when b.period_months < 12 then
        pg_catalog.format(' * %s / 12', pg_catalog.trim_scale(round(b.period_months, 6))) end, charge)
    end;
  end if;
  period_months := pg_catalog.trim_scale(round(b.period_months, 6));
  if b.switches = 'floor' and b.period_months <> pg_catalog.trunc(b.period_months) then
    even_charge := b.carried_value - floor_value;
    even_months := case when b.useful_life_months > b.changed_at_age then b.useful_life_months - b.changed_at_age else 1 end;
    if round(b.period_months * even_charge / even_months, 20) = round(b.charge, 20) and even_charge > 0 then
      period_months := pg_catalog.format('(%s * %s / %s)', charge, pg_catalog.trim_scale(round(even_months, 6)),
        pg_catalog.trim_scale(even_charge));
    end if;
  end if;
  if b.annual_rate is not null then
    first_year_months := pg_catalog.trim_scale(b.first_year_months);
  end if;

  passed_over := pg_catalog.array_remove(array[
    case when b.value_source <> 'market' then 'market: '
      || coalesce(b.market_value || ' comes after ' || b.value_source, 'no market value') end,
    case when b.value_source <> 'manual' then 'manual: '
      || coalesce(manual_value || ' comes after ' || b.value_source, 'no manual value') end,
    case when b.value_source <> 'depreciated' then 'depreciated: '
      || coalesce(b.depreciated_value || ' comes after ' || b.value_source,
        case when b.depreciation_method = 'none' then 'the method is none'
          when purchase_price = 0 then 'no purchase price' else 'no acquisition date' end) end,
    case when b.value_source <> 'purchase_price' then 'purchase_price: '
      || coalesce(nullif(purchase_price, 0) || ' comes after ' || b.value_source, 'no purchase price') end,
    case when b.value_source <> 'replacement_cost' then 'replacement_cost: '
      || coalesce(replacement_cost || ' comes after ' || b.value_source, 'no replacement cost') end
  ], null);
  arithmetic := case b.value_source
    when 'depreciated' then opening || ' - ' || charge || ' * ' || pg_catalog.trim_scale(round(b.months_in_period, 6))
      || ' / ' || period_months || ' = ' || b.depreciated_value
    when 'market' then pg_catalog.format('%s, the market value of %s', b.market_value,
      (market_value_as_of at time zone s.timezone)::date)
    when 'manual' then pg_catalog.format('%s, as the studio values it', manual_value)
    when 'purchase_price' then purchase_price || ', what was paid'
    when 'replacement_cost' then pg_catalog.format('%s, what a new one costs', replacement_cost)
    else 'nothing is known of its value'
  end;
end
$$;

comment on function valuation.explain_item(
  app.amount, date, text, integer, app.amount, numeric, text, valuation.change[], app.amount, timestamptz, numeric,
  app.amount, app.amount, text, integer, numeric, app.studios, date) is 'Why an item is worth what the API shows as of a day.';
--! EndIncluded valuation/functions/explain_item.sql
--! Included valuation/functions/depreciation_months.sql
-- The depreciation schedule of one item, month by month up to its last charge; no rows if the item
-- does not depreciate. Values are rounded and charges are their differences, so charges add up to
-- purchase price less residual value to the cent. Ends after ten thousand years.
create or replace function valuation.depreciation_months(item_id uuid)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language plpgsql stable security definer rows 60
set search_path = ''
as $$
declare
  plan valuation.plan;
  periods valuation.period[];
  last valuation.period;
  last_value numeric;
  n integer := 1; -- the period
  age numeric;
begin
  select (valuation.plan_of(i, (select c from app.categories c where c.name = i.category), s)).* into plan
  from app.studios s join app.items i on i.studio_id = s.id
  where s.id = access.current_studio_id() and i.id = depreciation_months.item_id;
  if plan.cost is null then
    return;
  end if;
  periods := valuation.depreciate(plan, 0, 120000);
  last := periods[pg_catalog.cardinality(periods)];
  last_value := valuation.worth(array[last], last.began + last.months, plan.decimals);
  month := 0;
  closing_value := plan.cost;
  ends_on := plan.starts_on - 1;
  while closing_value > last_value and month < 120000 and ends_on < '9999-11-30' loop
    month := month + 1;
    starts_on := ends_on + 1;
    ends_on := case plan.convention
      when 'item' then (plan.starts_on + pg_catalog.make_interval(months => month))::date
      else (pg_catalog.date_trunc('month', starts_on::timestamp) + interval '1 month')::date end - 1;
    age := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, ends_on + 1);
    while n < pg_catalog.cardinality(periods) and (periods[n + 1]).began <= age loop
      n := n + 1;
    end loop;
    opening_value := closing_value;
    closing_value := valuation.worth(periods[n : n], age, plan.decimals);
    charge := opening_value - closing_value;
    return next;
  end loop;
end
$$;

comment on function valuation.depreciation_months(uuid) is
  'The depreciation schedule of one item of the session''s studio, month by month until its last charge.';
--! EndIncluded valuation/functions/depreciation_months.sql
--! Included valuation/functions/depreciation_years.sql
-- The IAS 16.73 (d), (e) reconciliation of the session's studio by financial year (else calendar
-- year) and category, until the studio's longest useful life ends, at most in 9999.
-- It depreciates each item by its method even if the item has another value. An item leaves the
-- books on disposal or archiving; one that left before its acquisition was never in them.
-- It values an item once for each year of its life; later years reuse the last value.
create or replace function valuation.depreciation_years()
returns table (
  year_start date, year_end date, category text, items bigint, opening_cost numeric, additions numeric, disposed_cost numeric,
  closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric, closing_accumulated numeric,
  opening_value numeric, closing_value numeric, proceeds numeric
)
language sql stable security definer rows 200
set search_path = ''
set jit = off
set work_mem = '32MB'
begin atomic
  with books as (
    select
      b.category, b.cost, b.floor_value, b.rate, b.decimals, b.starts_on, b.convention, b.first_year_months, b.usual_life, b.first_year,
      b.last_year, b.gone_age, b.proceeds, b.planned_life, b.periods,
      coalesce(b.usual_life,
        (b.periods[pg_catalog.cardinality(b.periods)]).began + (b.periods[pg_catalog.cardinality(b.periods)]).months) as life,
      case when b.convention = 'item' then valuation.whole_months(
        b.starts_on, pg_catalog.make_date(b.first_year + 1, b.year_starts, 1)) else b.first_year_months end as first_end
    from (
      select
        u.*,
        case when u.plan is not null then (u.plan).terms[pg_catalog.cardinality((u.plan).terms)].life else u.usual_life end as planned_life,
        case when u.plan is not null then valuation.depreciate(u.plan, 0, coalesce(u.gone_age, 120000)) end as periods
      from (
        select
          t.category, t.purchase_price as cost, t.floor_value, t.rate, t.decimals, t.starts_on, t.convention, t.year_starts,
          coalesce(t.first_year_months, 12) as first_year_months, case when t.is_usual then t.life end as usual_life,
          pg_catalog.date_part('year', valuation.year_of(t.acquisition_date, t.year_starts))::integer as first_year,
          pg_catalog.date_part('year', valuation.year_of(t.gone_on, t.year_starts))::integer as last_year,
          case when t.gone_on is not null then
            valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, t.gone_on + 1) end as gone_age,
          case when t.gone_on is not null then coalesce(t.disposal_proceeds, 0) end as proceeds, t.plan
        from valuation.item_terms(true, true) as t
        where coalesce(t.gone_on >= t.acquisition_date, true)
        offset '0'
      ) as u
      -- With `offset '0'` PostgreSQL computes the periods of an item once.
      offset '0'
    ) as b
  ), lives as materialized (
    -- How many years after its acquisition an item's life ends, and for how many years this values
    -- it: until the year before it left.
    select b.*, greatest(pg_catalog.ceil((b.life - b.first_end) / 12), 0)::integer as life_years,
      least(9999 - b.first_year, b.last_year - b.first_year - 1) as years,
      (b.cost * 10::numeric ^ b.decimals)::bigint as cost_units, (b.floor_value * 10::numeric ^ b.decimals)::bigint as floor_units,
      -- Null if whole numbers are not enough: by the day, or for amounts too large for them.
      case when b.periods is null and b.rate is null and b.usual_life <= 1200 and pg_catalog.scale(b.cost) <= b.decimals
          and pg_catalog.scale(b.floor_value) <= b.decimals and b.first_end * 2 = pg_catalog.trunc(b.first_end * 2)
        then (b.first_end * 2)::bigint end as half_months
    from books b
  ), shares as materialized (
    -- For declining methods and a cost of 1: the book value at the beginning of the period in which
    -- a year ends, the share of it that the period charges, and the part of the period before the
    -- year's end.
    select
      k.rate, k.first_year_months, k.first_end, k.usual_life, y.year, y.year = k.life_years as is_last,
      case when p.years = 0 or p.age >= k.usual_life then 1
        else round((1 - k.rate * k.first_year_months / 12) * power(1 - k.rate, p.years - 1), 40) end as opening,
      case when p.began + p.months >= k.usual_life then 1 else k.rate * p.months / 12 end as charge,
      case when p.age >= k.usual_life then 1 else (p.age - p.began)::numeric(42,40) / least(p.months, k.usual_life - p.began) end as passed
    from (
      select distinct b.rate, b.first_year_months, b.first_end, b.usual_life, b.life_years from lives b
      where b.periods is null and b.rate is not null
    ) as k
    cross join lateral pg_catalog.generate_series(0, k.life_years) as y (year)
    cross join lateral (
      select x.age, x.years, case when x.years = 0 then 0 else k.first_year_months + 12 * (x.years - 1) end as began,
        case when x.years = 0 then k.first_year_months else 12 end as months
      from (
        select a.age, greatest(pg_catalog.floor((a.age - k.first_year_months) / 12)::integer + 1, 0) as years
        from (select least(k.first_end + 12 * y.year, k.usual_life) as age offset '0') as a
        offset '0'
      ) as x
      offset '0'
    ) as p
  ), valued as (
    -- The value of an item at the end of each year of its life.
    select b.category, b.first_year + b.year as year, b.year = b.life_years as is_last, round(round(
      b.cost - (b.cost - b.floor_value) * least(b.first_end + 12 * b.year, b.usual_life) / b.usual_life, 20), b.decimals) as value
    from (
      select b.*, pg_catalog.generate_series(0, least(b.years, b.life_years)) as year
      from lives b where b.periods is null and b.rate is null and b.half_months is null
      offset '0'
    ) as b
    union all
    select b.category, b.first_year + k.year, k.is_last, round(round(
      case when k.passed = 0 then o.opening else o.opening - least(o.opening * k.charge, o.opening - b.floor_value) * k.passed end,
      20), b.decimals)
    from lives b
    join shares k on k.rate = b.rate and k.first_year_months = b.first_year_months and k.first_end = b.first_end
      and k.usual_life = b.usual_life and k.year <= b.years
    cross join lateral (select greatest(b.floor_value, b.cost * k.opening) as opening offset '0') as o
    where b.periods is null
    union all
    select b.category, b.first_year + y.year, y.year = b.life_years, round(round(p.opening_value
      - p.charge * least(b.first_end + 12 * y.year - p.began, p.months) / p.months, 20), b.decimals)
    from lives b
    cross join lateral pg_catalog.unnest(b.periods) with ordinality as p (term, past_years, began, months, opening_value, charge, n)
    cross join lateral pg_catalog.generate_series(
      case when p.began = 0 then 0 else greatest(pg_catalog.floor((p.began - b.first_end) / 12)::integer + 1, 0) end,
      least(b.years, coalesce(
        pg_catalog.floor(((b.periods[p.n::integer + 1]).began - b.first_end) / 12)::integer,
        greatest(pg_catalog.ceil((p.began + p.months - b.first_end) / 12)::integer, 0)))) as y (year)
    where b.periods is not null
  ), evenly as (
    -- The usual straight line in whole cents and half months. The result is the same to the cent,
    -- five times as fast.
    select b.category, b.first_year + b.year as year, b.year = b.life_years as is_last, b.decimals,
      (2 * (b.cost_units * b.half_life - (b.cost_units - b.floor_units) * least(b.half_months + 24 * b.year, b.half_life)) + b.half_life)
        / (2 * b.half_life) as units
    from (
      select b.category, b.first_year, b.life_years, b.decimals, b.cost_units, b.floor_units, b.half_months,
        2 * b.usual_life::bigint as half_life, pg_catalog.generate_series(0, least(b.years, b.life_years)) as year
      from lives b where b.half_months is not null
      offset '0'
    ) as b
  ), moved as (
    select v.year, v.category, 0 as items, 0 as cost, 0 as disposed_cost, 0 as disposed_value, 0 as proceeds,
      round(sum(v.units) / 10::numeric ^ v.decimals, v.decimals) as value,
      round(sum(v.units) filter (where v.is_last) / 10::numeric ^ v.decimals, v.decimals) as last_value
    from evenly v group by v.year, v.category, v.decimals
    union all
    select v.year, v.category, 0, 0, 0, 0, 0, sum(v.value), sum(v.value) filter (where v.is_last)
    from valued v group by 1, 2
    union all
    select b.first_year, b.category, count(*), sum(b.cost), 0, 0, 0, 0, 0 from lives b group by 1, 2
    union all
    select
      b.last_year, b.category, -count(*), 0, sum(b.cost), sum(g.worth), sum(b.proceeds), 0,
      -- After the end of its life, an item stays in the sums with its last value. This takes it
      -- out.
      -coalesce(sum(g.worth) filter (where b.first_year + b.life_years < b.last_year), 0)
    from lives b
    cross join lateral (
      select case when b.periods is not null then valuation.worth(b.periods, b.gone_age, b.decimals)
        else valuation.usual_worth(b.cost, b.floor_value, b.usual_life, b.rate, b.first_year_months, b.gone_age, b.decimals) end as worth
      offset '0'
    ) as g
    where b.last_year is not null group by 1, 2
    union all
    select n, l.category, 0, 0, 0, 0, 0, 0, 0
    from (select b.category, pg_catalog.min(b.first_year) as first_year from lives b group by b.category) as l
    cross join lateral pg_catalog.generate_series(l.first_year, (
      -- The last year is the one of the day after the life. For an item whose months start within a
      -- calendar month, it is the year of the last day of its life.
      select pg_catalog.max(least(9999, a.first_year + greatest(pg_catalog.ceil(
        (coalesce(a.gone_age, greatest(a.life, a.planned_life)) - a.first_end
          + case when a.convention = 'item' and pg_catalog.date_part('day', a.starts_on) > 1 then 0 else 0.000001 end) / 12
        ), 0)::bigint))::integer
      from lives a)) as n
  ), years as (
    select
      m.year, m.category, sum(sum(m.items)) over past as items, sum(m.cost) as additions, sum(m.disposed_cost) as disposed_cost,
      sum(m.disposed_value) as disposed_value, sum(m.proceeds) as proceeds,
      sum(sum(m.cost) - sum(m.disposed_cost)) over past as closing_cost,
      sum(m.value) - coalesce(sum(m.last_value) filter (where m.last_value > 0), 0) + sum(coalesce(sum(m.last_value), 0)) over past
        as closing_value
    from moved m
    group by m.year, m.category
    window past as (partition by m.category order by m.year)
  )
  select
    d.year_start, (d.year_start + interval '1 year')::date - 1, y.category, y.items::bigint,
    y.closing_cost - y.additions + y.disposed_cost, y.additions, y.disposed_cost, y.closing_cost,
    y.closing_cost - y.additions + y.disposed_cost - y.opening,
    y.opening + y.additions - y.disposed_value - y.closing_value, y.disposed_cost - y.disposed_value, y.closing_cost - y.closing_value,
    y.opening, y.closing_value, y.proceeds
  from (select y.*, pg_catalog.lag(y.closing_value, 1, 0) over (partition by y.category order by y.year) as opening from years y) as y
  cross join lateral (
    select pg_catalog.make_date(y.year, coalesce(s.financial_year_start_month, 1), 1) as year_start
    from app.studios s where s.id = (select access.current_studio_id())
  ) as d
  order by d.year_start, y.category;
end;

comment on function valuation.depreciation_years() is
  'The reconciliation of what depreciates in the session''s studio, by financial year and category.';
--! EndIncluded valuation/functions/depreciation_years.sql
--! Included valuation/functions/depreciation_between.sql
-- The depreciation register of the session's studio for a range of days, one row for each item that
-- depreciates. valuation.depreciation_years() gives the same sums by year.
--   first_day, last_day   no rows if one is null or last_day is earlier
create or replace function valuation.depreciation_between(first_day date, last_day date)
returns table (
  item_id uuid, name text, category text, acquisition_date date, disposed_on date, opening_cost numeric, additions numeric,
  disposed_cost numeric, closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric,
  closing_accumulated numeric, opening_value numeric, closing_value numeric, proceeds numeric
)
language sql stable security definer
set search_path = ''
set jit = off
begin atomic
  select
    b.id, b.name, b.category, b.acquisition_date, b.gone, b.opening_cost, b.purchase_price - b.opening_cost,
    b.purchase_price - b.closing_cost, b.closing_cost,
    b.opening_cost - b.opening_value, b.opening_value + b.purchase_price - b.opening_cost - b.last_value,
    case when b.closing_cost = 0 then b.purchase_price - b.last_value else 0 end,
    case when b.closing_cost = 0 then 0 else b.purchase_price - b.last_value end,
    b.opening_value, case when b.closing_cost = 0 then 0 else b.last_value end, b.proceeds
  from (
    select
      a.*,
      case
        when a.acquisition_date >= first_day then 0
        when a.is_usual then
          valuation.usual_worth(a.purchase_price, a.floor_value, a.life, a.rate, a.first_year_months, a.first_age, a.decimals)
        else coalesce(valuation.worth_on(a.plan, first_day), a.purchase_price)
      end as opening_value,
      case
        when a.is_usual then
          valuation.usual_worth(a.purchase_price, a.floor_value, a.life, a.rate, a.first_year_months, a.last_age, a.decimals)
        else coalesce(valuation.worth_on(a.plan, a.ends), a.purchase_price)
      end as last_value
    from (
      select
        d.*, case when d.acquisition_date < first_day then d.purchase_price else 0 end as opening_cost,
        case when d.gone is not null then 0 else d.purchase_price end as closing_cost,
        case when d.gone is not null then coalesce(d.disposal_proceeds, 0) else 0 end as proceeds,
        case when d.is_usual and d.acquisition_date < first_day
          then valuation.age(d.convention, d.starts_on, d.first_year_months, d.year_starts, first_day) end as first_age,
        case when d.is_usual then valuation.age(d.convention, d.starts_on, d.first_year_months, d.year_starts, d.ends) end as last_age
      from (
        select t.*, case when t.gone_on <= last_day then t.gone_on end as gone, least(t.gone_on, last_day) + 1 as ends
        from valuation.item_terms(true, false) as t
        where first_day <= last_day and t.acquisition_date <= last_day
          and coalesce(t.gone_on >= greatest(t.acquisition_date, first_day), true)
        offset '0'
      ) as d
      offset '0'
    ) as a
    offset '0'
  ) as b;
end;

comment on function valuation.depreciation_between(date, date) is
  'The register of what depreciates in the session''s studio from one day to another, by item.';
--! EndIncluded valuation/functions/depreciation_between.sql
--! Included valuation/functions/month_to_close.sql
-- Gives the last day of the oldest month that is over and that the session's studio has not closed;
-- null if it has closed all of them. The first month that a studio closes is that of closes_since.
create or replace function valuation.month_to_close() returns date
language sql stable security definer
set search_path = ''
begin atomic
  select m.last_day
  from app.studios s
  cross join lateral (select (s.closes_since at time zone s.timezone)::date as day) as since
  cross join lateral (
    select (coalesce(
      (select pg_catalog.max(c.month_end) + 1 from app.closings c where c.studio_id = s.id),
      since.day - (extract(day from since.day)::integer - 1)
    ) + interval '1 month')::date - 1 as last_day
  ) as m
  where s.id = access.current_studio_id() and m.last_day < access.current_studio_today();
end;

comment on function valuation.month_to_close() is 'The last day of the first month that the session''s studio has to close.';
--! EndIncluded valuation/functions/month_to_close.sql
--! Included valuation/functions/close_items.sql
-- Closes items of the session's studio: stores their values at the end of a month, with their inputs, where
-- they are not to the byte what the latest row of the item says. An item that is not in the inventory,
-- and of which the latest row says that it is, gets a row that says so.
--   items, estimated_value, reported_insured_value   the number of those in the inventory, and their sums
create or replace function valuation.close_items(
  month_end date, item_ids uuid[], out items integer, out estimated_value numeric, out reported_insured_value numeric
)
language sql volatile security definer
set search_path = ''
begin atomic
  with held as materialized (
    select
      (v.item).studio_id, (v.item).id, (v.item).name, (v.item).category, (v.studio).currency,
      (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.breakdown).coverage_state,
      (v.item).reported_insured_value::numeric, (v.item).purchase_price::numeric, (v.item).acquisition_date,
      (v.breakdown).depreciation_method, (v.breakdown).useful_life_months, (v.breakdown).residual_value,
      (v.studio).financial_year_start_month::integer, (v.breakdown).given_rate::numeric(6,3), (v.breakdown).switches,
      (v.studio).first_period, (v.breakdown).market_value, v.market_value_as_of::timestamptz(3),
      (v.item).manual_value::numeric, (v.item).replacement_cost::numeric
    from valuation.value_items(close_items.month_end) as v
    where (v.item).id = any (close_items.item_ids)
  ), former as (
    select
      latest.studio_id, latest.item_id, latest.described_in,
      row(latest.current_estimated_value::numeric, latest.market_value::numeric, latest.market_value_as_of) as figures,
      row(d.name, d.category, d.currency, d.value_source, d.coverage_state, d.reported_insured_value::numeric,
        d.purchase_price::numeric, d.acquisition_date, d.depreciation_method, d.useful_life_months,
        d.residual_value::numeric, d.financial_year_start_month, d.depreciation_rate, d.switches_to_straight_line,
        d.first_period, d.manual_value::numeric, d.replacement_cost::numeric) as description
    from unnest(close_items.item_ids) as item (id)
    cross join lateral (
      select * from app.closed_values c
      where c.studio_id = (select access.current_studio_id()) and c.item_id = item.id
      order by c.month_end desc limit 1
    ) as latest
    left join app.closed_values d
      on d.studio_id = latest.studio_id and d.item_id = latest.item_id and d.month_end = latest.described_in
  ), compared as (
    -- This operator compares bytes: 90.00 is not 90.000. Both sides need the same types, hence the casts above.
    select
      h.*, coalesce(h.studio_id, f.studio_id) as of_studio, coalesce(h.id, f.item_id) as item_id,
      f.item_id is null as is_first, f.described_in,
      row(h.current_estimated_value, h.market_value, h.market_value_as_of) *= f.figures as same_figures,
      row(h.name, h.category, h.currency, h.value_source, h.coverage_state, h.reported_insured_value, h.purchase_price,
        h.acquisition_date, h.depreciation_method, h.useful_life_months, h.residual_value, h.financial_year_start_month,
        h.given_rate, h.switches, h.first_period, h.manual_value, h.replacement_cost) *= f.description as same_description
    from held h
    full join former f on f.item_id = h.id
  ), described as (
    insert into app.closed_values (
      studio_id, month_end, described_in, item_id, is_first, current_estimated_value, market_value, market_value_as_of,
      name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price, acquisition_date,
      depreciation_method, useful_life_months, residual_value, financial_year_start_month, depreciation_rate,
      switches_to_straight_line, first_period, manual_value, replacement_cost)
    select
      of_studio, close_items.month_end, close_items.month_end, item_id, is_first, current_estimated_value, market_value,
      market_value_as_of, name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price,
      acquisition_date, depreciation_method, useful_life_months, residual_value, financial_year_start_month, given_rate,
      switches, first_period, manual_value, replacement_cost
    from compared where id is not null and (described_in is null or not same_description)
  ), moved as (
    insert into app.closed_values (
      studio_id, month_end, described_in, item_id, is_first, current_estimated_value, market_value, market_value_as_of)
    select
      of_studio, close_items.month_end, case when id is not null then described_in end, item_id, false,
      current_estimated_value, market_value, market_value_as_of
    from compared
    where described_in is not null and (id is null or same_description and not same_figures)
  )
  select count(*)::integer, coalesce(sum(h.current_estimated_value), 0), coalesce(sum(h.reported_insured_value), 0)
  from held h;
end;

comment on function valuation.close_items(date, uuid[]) is 'Writes down what items were worth at the end of a month.';
--! EndIncluded valuation/functions/close_items.sql
--! Included valuation/functions/next_to_close.sql
-- Finds a studio that has a month to close, and returns its studio_hash: the next one after `after`, or
-- the first if `after` is null. It returns null when no studio is left.
create or replace function valuation.next_to_close(after integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if valuation.month_to_close() is not null then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_to_close(integer) is 'The studio_hash of the next studio that has a month to close.';
--! EndIncluded valuation/functions/next_to_close.sql
--! Included valuation/functions/close_month.sql
-- Closes the oldest open month of a studio: stores each item's value at its end, for good.
-- Each call looks at most at at_most items, to keep transactions short; call until due is false.
-- The month shows as closed after its last item. Skips a studio that another session is closing.
--   studio_hash   from valuation.next_to_close()
--   due           whether the studio had a month to close
--   closed        number of items in the inventory that it looked at
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
  after uuid;
  batch uuid[];
  sums record;
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
    after := coalesce(
      (select u.item_id from app.closings_under_way u where u.studio_id = this_studio and u.month_end = last_day),
      '00000000-0000-0000-0000-000000000000');
    batch := array(
      (select (v.item).id from valuation.inventory(last_day) as v where (v.item).id > after
       order by (v.item).id limit at_most)
      union
      -- Those that were in the inventory before: they may have left it.
      (select c.item_id from app.closed_values c where c.studio_id = this_studio and c.is_first and c.item_id > after
       order by c.item_id limit at_most)
      order by 1 limit at_most);
    select * into sums from valuation.close_items(last_day, batch);
    closed := sums.items;
    insert into app.closings_under_way as u (studio_id, month_end, item_id, items, estimated_value, reported_insured_value)
    values (this_studio, last_day, coalesce(batch[pg_catalog.cardinality(batch)], after), sums.items,
      sums.estimated_value, sums.reported_insured_value)
    on conflict (studio_id) do update set item_id = excluded.item_id, items = u.items + excluded.items,
      estimated_value = u.estimated_value + excluded.estimated_value,
      reported_insured_value = u.reported_insured_value + excluded.reported_insured_value;
    if pg_catalog.cardinality(batch) < at_most then
      with complete as (
        delete from app.closings_under_way u where u.studio_id = this_studio returning u.*
      )
      insert into app.closings (studio_id, month_end, items, estimated_value, reported_insured_value)
      select u.studio_id, u.month_end, u.items, u.estimated_value, u.reported_insured_value from complete u;
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.close_month(integer, integer) is
  'Closes the first month that the studio of a studio_hash has to close; returns whether there was one, and the items closed.';
--! EndIncluded valuation/functions/close_month.sql
--! Included valuation/functions/same_inputs.sql
-- Says whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return not (
  before.category is distinct from after.category
  or before.purchase_price is distinct from after.purchase_price
  or before.acquisition_date is distinct from after.acquisition_date
  or before.depreciation_method is distinct from after.depreciation_method
  or before.useful_life_months is distinct from after.useful_life_months
  or before.residual_value is distinct from after.residual_value
  or before.depreciation_rate is distinct from after.depreciation_rate
  or before.switches_to_straight_line is distinct from after.switches_to_straight_line
  or before.depreciation_changes is distinct from after.depreciation_changes
  or before.manual_value is distinct from after.manual_value
  or before.replacement_cost is distinct from after.replacement_cost
  or before.reported_insured_value is distinct from after.reported_insured_value
  or before.market_value is distinct from after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
--! EndIncluded valuation/functions/same_inputs.sql
--! Included valuation/functions/project.sql
-- Updates the projection of items of the session's studio, as of today. Returns the ids of those
-- whose valuation, as the API lists or filters it, changed.
create or replace function valuation.project(item_ids uuid[]) returns setof uuid
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- Planning would cost more than the work.
set enable_seqscan = off -- A plan from when the table was small would read all of it for each item.
as $$
#variable_conflict use_column
begin
  return query
  with assessed as materialized (
    select i.studio_id, i.id as item_id, (a.assessment).*, i.replacement_cost, i.purchase_price, i.reported_insured_value, i.category,
      i.location_id, i.archived_at is not null as is_archived, (
      -- This looks items up by their key, however many of them the planner expects.
      select v from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id
    ) as held
    from app.items i
    join app.categories c on c.name = i.category
    cross join lateral (
      select valuation.assess(i, c, (select s from app.studios s where s.id = (select access.current_studio_id())),
        (select access.current_studio_today())) as assessment
      offset 0 -- values each item once
    ) as a
    where i.studio_id = (select access.current_studio_id()) and i.id = any (item_ids)
  ), compared as materialized (
    select a.*, (a.held).item_id is null or ((a.held).current_estimated_value, (a.held).value_source, (a.held).coverage_state,
        (a.held).gap_amount, (a.held).book_value, (a.held).purchase_price, (a.held).reported_insured_value, (a.held).category,
        (a.held).location_id, (a.held).is_archived)
      is distinct from (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.book_value,
        a.purchase_price, a.reported_insured_value, a.category, a.location_id, a.is_archived) as moved
    from assessed a
  ), written as (
    insert into app.item_valuations as v (studio_id, item_id, current_estimated_value, value_source, coverage_state,
      gap_amount, book_value, revalue_on, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
    select c.studio_id, c.item_id, c.current_estimated_value, c.value_source, c.coverage_state, c.gap_amount, c.book_value,
      c.revalue_on, c.replacement_cost, c.purchase_price, c.reported_insured_value, c.category, c.location_id, c.is_archived
    from compared c
    where c.moved or ((c.held).revalue_on, (c.held).replacement_cost) is distinct from (c.revalue_on, c.replacement_cost)
    on conflict (studio_id, item_id) do update set
      current_estimated_value = excluded.current_estimated_value, value_source = excluded.value_source,
      coverage_state = excluded.coverage_state, gap_amount = excluded.gap_amount, book_value = excluded.book_value,
      revalue_on = excluded.revalue_on, replacement_cost = excluded.replacement_cost,
      purchase_price = excluded.purchase_price, reported_insured_value = excluded.reported_insured_value,
      category = excluded.category, location_id = excluded.location_id, is_archived = excluded.is_archived
  )
  select c.item_id from compared c where c.moved;
end
$$;

comment on function valuation.project(uuid[]) is
  'Writes the projection of items of the session''s studio and returns those whose valuation moved.';
--! EndIncluded valuation/functions/project.sql
--! Included valuation/functions/revalue.sql
-- Revalues items of the session's studio as of today, after their writers. Returns the number of
-- valuations that changed and moves their updated_at, not the items'.
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

  update app.items i set coverage_state = v.coverage_state
  from app.item_valuations v
  where i.studio_id = studio and i.id = any (moved) and v.studio_id = i.studio_id and v.item_id = i.id
    and i.coverage_state is distinct from v.coverage_state;
  return coalesce(pg_catalog.cardinality(moved), 0);
end
$$;

comment on function valuation.revalue(uuid[]) is
  'Values items of the session''s studio again and moves the valuations that change; returns their number.';
--! EndIncluded valuation/functions/revalue.sql
--! Included valuation/functions/due_items.sql
-- Items of the session's studio that are due for revaluation, longest due first, at most at_most.
-- With rebuild_missing also items without a projection.
create or replace function valuation.due_items(rebuild_missing boolean, at_most integer) returns setof uuid
language sql stable security definer
set search_path = ''
begin atomic
  select due.item_id from (
    (select v.item_id from app.item_valuations v
     where v.studio_id = access.current_studio_id() and v.revalue_on <= access.current_studio_today()
     order by v.revalue_on limit at_most)
    union all
    (select i.id from app.items i
     where rebuild_missing and i.studio_id = access.current_studio_id() and not exists (
       select from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id and v.value_source is not null)
     limit at_most)
  ) as due (item_id)
  limit at_most;
end;

comment on function valuation.due_items(boolean, integer) is
  'Items of the session''s studio whose value time alone has changed.';
--! EndIncluded valuation/functions/due_items.sql
--! Included valuation/functions/next_due.sql
-- Finds a studio that has valuation.due_items(), and returns its studio_hash: the next one after
-- `after`, or the first if `after` is null. It returns null when no studio is left. Callers visit all
-- studios this way, and learn no studio's id.
create or replace function valuation.next_due(after integer default null, rebuild_missing boolean default false) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if exists (select from valuation.due_items(rebuild_missing, 1)) then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_due(integer, boolean) is
  'The studio_hash of the next studio in which time alone has changed the value of an item.';
--! EndIncluded valuation/functions/next_due.sql
--! Included valuation/functions/refresh_studio.sql
-- Revalues the items of one studio that are due, at most at_most, to keep transactions short; call
-- it until it values none. Skips items that somebody is writing to, and a studio that another
-- session refreshes.
create or replace function valuation.refresh_studio(
  studio_id uuid, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  due uuid[];
begin
  valued := 0;
  moved := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('valuation.refresh ' || refresh_studio.studio_id, 0)) then
    return;
  end if;
  perform access.enter_studio(refresh_studio.studio_id);
  select pg_catalog.array_agg(free.id) into due from (
    select i.id from app.items i
    where i.studio_id = refresh_studio.studio_id
      and i.id = any (array(select valuation.due_items(rebuild_missing, at_most)))
    order by i.id for no key update skip locked) as free;
  if due is not null then
    valued := pg_catalog.cardinality(due);
    moved := valuation.revalue(due);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.refresh_studio(uuid, boolean, integer) is
  'Values again what is due in one studio; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_studio.sql
--! Included valuation/functions/refresh_due.sql
-- Calls valuation.refresh_studio() for the studio whose studio_hash valuation.next_due() returned.
create or replace function valuation.refresh_due(
  studio_hash integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = refresh_due.studio_hash;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values again what is due in the studio of a studio_hash; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_due.sql

-- What happens when a studio writes
--! Included app/functions/require_session.sql
-- Trigger: refuses a row outside the session of its studio. Unlike policies, it binds superusers,
-- too, because the other triggers write under row-level security. Raises 42501.
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
  if tg_op = 'DELETE' then -- A case expression would copy the whole row.
    return old;
  end if;
  return new;
end
$$;

comment on function app.require_session() is 'Trigger: refuses a write outside the session of the row''s studio.';
--! EndIncluded app/functions/require_session.sql
--! Included app/functions/stamp.sql
-- The moment of a change, for updated_at or removed_at: the clock, but never before the moment that
-- the last heartbeat announced. The transaction takes its id first, so every stamp is at or after
-- the moment of each heartbeat with a smaller id, even if the clock steps back; access.watermark()
-- relies on that. The moment is in a sequence, whose newest value every transaction sees, even a
-- repeatable read.
-- spec: updated_since — "Only items updated at or after it".
create or replace function app.stamp() returns timestamptz
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- This takes the transaction's id. It has only expressions, because a query would take five times
  -- as long.
  id xid8 := pg_catalog.pg_current_xact_id();
begin
  return greatest(
    pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
    timestamptz 'epoch' + pg_catalog.pg_sequence_last_value('app.announced_moment') * interval '1 millisecond');
end
$$;

comment on function app.stamp() is 'The moment that a change shows: never before one that a heartbeat announced.';
--! EndIncluded app/functions/stamp.sql
--! Included app/functions/touch.sql
-- Trigger: updated_at strictly increases with every change of the row, and stays when nothing
-- changes, or only what no list shows of it: the coverage state of an item (its valuation moves), the
-- day on which an item is valued again, and the valuation's copy of the replacement cost.
-- spec: "incremental sync with updated_since".
create or replace function app.touch() returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- PostgreSQL computes generated columns later, so they would look changed.
  new.studio_hash := old.studio_hash;
  if tg_relid = 'app.items'::regclass then
    old.coverage_state := new.coverage_state;
  elsif tg_relid = 'app.item_valuations'::regclass then
    old.revalue_on := new.revalue_on;
    old.replacement_cost := new.replacement_cost;
  end if;
  if new is distinct from old then
    new.updated_at := greatest(app.stamp(), old.updated_at + interval '1 millisecond');
  end if;
  return new;
end
$$;

comment on function app.touch() is 'Trigger: updated_at strictly increases with every change of the row.';
--! EndIncluded app/functions/touch.sql
--! Included app/functions/store_document.sql
-- Trigger of app.items and app.maintenance_records, after those that change the row: stores the
-- row's JSON for lists, and the words and tags that an item is found by. The columns are those of
-- service.listed_items and listed_maintenance, which cannot show a row before it is written.
create or replace function app.store_document() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  method text;
begin
  if tg_relid = 'app.items'::regclass then
    if new.depreciation_changes is not null then
      select c.depreciation_method into method from pg_catalog.unnest(new.depreciation_changes) as c
      where c.depreciation_method is not null order by c.effective_on desc limit 1;
    end if;
    -- This is one expression, because a sub-select would take two to four times as long for each
    -- row.
    new.document := row_to_json(row(
      new.id, new.name, new.manufacturer, new.model, new.serial_number, new.barcode, new.category, new.tags,
      new.purchase_price, new.acquisition_date, coalesce(method, new.depreciation_method),
      api_v1.rfc3339(new.market_value_as_of), new.reported_insured_value, new.location_id,
      api_v1.rfc3339(new.created_at), api_v1.rfc3339(new.updated_at)
    )::service.listed_items)::text;
    -- A row of an index holds this many letters.
    new.words := pg_catalog.left(api_v1.squeezed(pg_catalog.concat_ws('|', new.name, new.manufacturer, new.model,
      new.serial_number, new.barcode, pg_catalog.array_to_string(new.tags, '|'))), 500);
    new.short_tags := case when pg_catalog.octet_length(pg_catalog.array_to_string(new.tags, ''))
      + 8 * pg_catalog.cardinality(new.tags) <= 400 then new.tags end;
  else
    new.document := row_to_json(row(
      new.id, new.item_id, new.item_name, new.title, new.maintenance_type, new.status, new.scheduled_date,
      new.completed_date, new.cost, new.vendor, new.description,
      api_v1.rfc3339(new.created_at), api_v1.rfc3339(new.updated_at)
    )::service.listed_maintenance)::text;
  end if;
  return new;
end
$$;

comment on function app.store_document() is 'Trigger: stores the JSON text of a row with the row.';
--! EndIncluded app/functions/store_document.sql
--! Included app/functions/free_slot.sql
-- A slot of the studio's data version that no other open transaction uses: this transaction's own,
-- or the first that it can lock; null when there is none. The lock lasts until the transaction
-- ends, and reserves the slot of the same number in the counters. So writers of one studio neither
-- wait nor deadlock over a count, and there are about as many slots as concurrent writers.
create or replace function app.free_slot(studio_id uuid) returns smallint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select d.slot from app.data_versions d
    where d.studio_id = free_slot.studio_id
    order by d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid desc, d.slot limit 1
    for update skip locked);
end
$$;

comment on function app.free_slot(uuid) is 'A slot of a studio''s counters that no other open transaction uses.';
--! EndIncluded app/functions/free_slot.sql
--! Included app/functions/add_data_version.sql
-- Moves the data version of some studios, each in a slot that no other open transaction uses. The
-- step is random, so that a restored database, or one that took over, never reaches the same number
-- with other data.
-- One step a transaction is enough, because readers see the version after the commit. A slot that
-- this transaction has written has its id as xmin, and a second write would only leave a dead row.
-- (After a savepoint, xmin is the savepoint's id, so the version moves again.)
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  step bigint := 1 + pg_catalog.floor(pg_catalog.random() * 1e9)::bigint;
  new_slot smallint;
begin
  foreach studio in array studios loop
    continue when exists (
      select from app.data_versions d
      where d.studio_id = studio and d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid);
    update app.data_versions d set version = d.version + step
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      -- No open transaction holds or inserts a slot with this number, which would make this one
      -- wait.
      for attempt in 1 .. 100 loop
        new_slot := pg_catalog.floor(pg_catalog.random() * 32767)::smallint;
        exit when pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(studio::text, new_slot))
          and not exists (select from app.data_versions d where d.studio_id = studio and d.slot = new_slot);
      end loop;
      insert into app.data_versions as held (studio_id, slot, version) values (studio, new_slot, step)
      on conflict (studio_id, slot) do update set version = held.version + step;
    end if;
  end loop;
end
$$;

comment on function app.add_data_version(uuid[]) is 'Moves the data version of some studios.';
--! EndIncluded app/functions/add_data_version.sql
--! Included app/functions/bump_data_version.sql
-- Trigger: moves the data version of every studio with a row that this statement changed. The
-- version is the sum of the studio's slots (app.free_slot()), and grows with every transaction that
-- changes what the API may answer.
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
  elsif tg_relid = 'app.item_valuations'::regclass then
    select pg_catalog.array_agg(distinct m.studio_id) into studios from (
      select c.studio_id, c.item_id, c.updated_at from changed c
      except select b.studio_id, b.item_id, b.updated_at from before b) as m;
  else
    -- This is no join. PostgreSQL plans it for the session's first statement, which may be small,
    -- and would then compare all pairs of a large one.
    select pg_catalog.array_agg(distinct m.studio_id) into studios from (
      select c.studio_id, c.id, c.updated_at from changed c except select b.studio_id, b.id, b.updated_at from before b) as m;
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
-- Trigger of tables that have one row for each studio (studios, subscriptions): moves the studio's
-- data version. The argument names the column with the studio's id.
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
-- Trigger: the server must know a studio's time zone by name, and its currency is one of ISO 4217,
-- which determines the decimals of its amounts. Raises 22023. Skips the default zone, because the
-- check reads a file for each zone.
create or replace function app.check_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.timezone <> 'UTC' and (tg_op = 'INSERT' or new.timezone <> old.timezone) then
    if not exists (select from pg_catalog.pg_timezone_names z where z.name = new.timezone) then
      raise exception '% is not a known time zone', pg_catalog.quote_literal(new.timezone)
        using errcode = '22023', hint = 'Use an IANA name such as Europe/Berlin.';
    end if;
  end if;
  new.minor_units := app.minor_units(new.currency);
  if new.minor_units is null then
    raise exception '% is not an ISO 4217 currency code in use', pg_catalog.quote_nullable(new.currency)
      using errcode = '22023', hint = 'Use a code such as EUR.';
  end if;
  return new;
end
$$;

comment on function app.check_studio() is 'Trigger of app.studios: a known time zone and currency.';
--! EndIncluded app/functions/check_studio.sql
--! Included app/functions/settle_amounts.sql
-- Trigger of the tables in which a studio records amounts: rounds them half-up to the minor units
-- of its currency (12000 yen, 12000.00 euros, 12000.000 dinars), so that every reader shows them
-- with that many decimals. An insert locks the currency (app.change_currency()). An update needs no
-- lock, because that function updates every row. app.prepare_item() rounds those of a new item.
create or replace function app.settle_amounts() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  places integer;
begin
  if tg_op = 'INSERT' then
    select s.minor_units into places from app.studios s where s.id = new.studio_id for key share;
  else
    select s.minor_units into places from app.studios s where s.id = new.studio_id;
  end if;
  if tg_relid = 'app.items'::regclass then
    new.purchase_price := round(new.purchase_price, places);
    new.residual_value := round(new.residual_value, places);
    new.manual_value := round(new.manual_value, places);
    new.replacement_cost := round(new.replacement_cost, places);
    new.reported_insured_value := round(new.reported_insured_value, places);
    new.disposal_proceeds := round(new.disposal_proceeds, places);
  elsif tg_relid = 'app.market_values'::regclass then
    new.value := round(new.value, places);
  elsif tg_relid = 'app.depreciation_changes'::regclass then
    new.residual_value := round(new.residual_value, places);
  elsif tg_relid = 'app.maintenance_records'::regclass then
    new.cost := round(new.cost, places);
  elsif tg_relid = 'app.policies'::regclass then
    new.overall_limit := round(new.overall_limit, places);
    new.deductible := round(new.deductible, places);
  else
    new.declared_value := round(new.declared_value, places);
  end if;
  return new;
end
$$;

comment on function app.settle_amounts() is 'Trigger: amounts have the minor units of the studio''s currency.';
--! EndIncluded app/functions/settle_amounts.sql
--! Included app/functions/change_currency.sql
-- Trigger of app.studios: the amounts of a studio stay the same numbers in another currency. If
-- that currency has another number of decimals, they all show other decimals (12000.00 becomes
-- 12000). So each record moves its updated_at, and values are rounded to these decimals. Closed
-- months stay. The function locks tables in the order in which writers lock them: first what items
-- copy, then items, then what copies items.
create or replace function app.change_currency() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  places integer := new.minor_units;
begin
  if places = old.minor_units then
    return null;
  end if;
  perform access.enter_studio(new.id);
  update app.market_values m set value = m.value where m.studio_id = new.id;
  update app.depreciation_changes c set residual_value = c.residual_value where c.studio_id = new.id;
  update app.policy_assignments a set declared_value = a.declared_value where a.studio_id = new.id;
  update app.policies p set deductible = p.deductible, updated_at = p.updated_at + interval '1 millisecond'
  where p.studio_id = new.id;
  update app.items i set purchase_price = i.purchase_price, market_value = round(i.market_value, places),
    updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = new.id;
  update app.maintenance_records m set cost = m.cost, updated_at = m.updated_at + interval '1 millisecond'
  where m.studio_id = new.id;
  perform valuation.revalue(array(select i.id from app.items i where i.studio_id = new.id));
  -- valuation.revalue() leaves alone what is the same number. This gives it the new decimals.
  update app.item_valuations v
  set current_estimated_value = round(v.current_estimated_value, places), gap_amount = round(v.gap_amount, places),
    book_value = round(v.book_value, places), replacement_cost = round(v.replacement_cost, places),
    purchase_price = round(v.purchase_price, places),
    reported_insured_value = round(v.reported_insured_value, places), updated_at = v.updated_at + interval '1 millisecond'
  where v.studio_id = new.id;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function app.change_currency() is 'Trigger of app.studios: amounts get the decimals of the new currency.';
--! EndIncluded app/functions/change_currency.sql
--! Included app/functions/check_location.sql
-- Trigger: only the Studio plan has more than one location, and the default location stays as long
-- as its studio. Raises SI402 (plan) and 23514.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.check_location() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    if old.is_default
      and exists (select from app.studios s where s.id = old.studio_id and s.removed_at is null)
    then
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
-- Constraint trigger, which runs at the end of the transaction: a studio must have a default
-- location. By then, the transaction may be in another studio's session. Raises 23514.
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
--! Included app/functions/hold_currency.sql
-- Trigger before a statement that inserts items: locks the currency of the session's studio until
-- the transaction ends (app.change_currency()), once for all rows.
create or replace function app.hold_currency() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from app.studios s where s.id = (select access.current_studio_id()) for key share;
  return null;
end
$$;

comment on function app.hold_currency() is 'Trigger of app.items: the currency stays while a statement adds items.';
--! EndIncluded app/functions/hold_currency.sql
--! Included app/functions/prepare_item.sql
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
--! EndIncluded app/functions/prepare_item.sql
--! Included app/functions/project_items.sql
-- Trigger: writes the projection of each new item, and of each item with a changed value in an
-- input of the valuation or in a column by which the list of values filters.
create or replace function app.project_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- This plans the foreign key's check once, too.
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'INSERT' then
    -- An item that another trigger of the statement has valued keeps that valuation.
    insert into app.item_valuations (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount,
      book_value, revalue_on, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
    select c.studio_id, c.id, (c.assessment).*, c.replacement_cost, c.purchase_price, c.reported_insured_value, c.category, c.location_id,
      c.archived_at is not null
    from (
      select c.*, valuation.assess(
        row(c.*)::app.items, (select k from app.categories k where k.name = c.category),
        (select s from app.studios s where s.id = (select access.current_studio_id())),
        (select access.current_studio_today())) as assessment
      from changed c
      offset '0' -- values each item once
    ) as c
    on conflict do nothing;
    return null;
  else
    select pg_catalog.array_agg(m.id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.category, c.purchase_price, c.acquisition_date, c.depreciation_method, c.useful_life_months,
        c.residual_value, c.depreciation_rate, c.switches_to_straight_line, c.depreciation_changes,
        c.manual_value, c.replacement_cost, c.reported_insured_value, c.market_value, c.location_id, c.archived_at is not null
      from changed c
      except
      select b.id, b.category, b.purchase_price, b.acquisition_date, b.depreciation_method, b.useful_life_months,
        b.residual_value, b.depreciation_rate, b.switches_to_straight_line, b.depreciation_changes,
        b.manual_value, b.replacement_cost, b.reported_insured_value, b.market_value, b.location_id, b.archived_at is not null
      from before b) as m;
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
-- Trigger: when a projection was deleted, its item loses its coverage state and gets an empty
-- projection. The list of values then shows nulls for it, as a change.
create or replace function app.clear_coverage() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.items i set coverage_state = null
  from before b where i.studio_id = b.studio_id and i.id = b.item_id;
  insert into app.item_valuations
    (studio_id, item_id, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived)
  select i.studio_id, i.id, i.replacement_cost, i.purchase_price, i.reported_insured_value, i.category, i.location_id,
    i.archived_at is not null
  from before b join app.items i on i.studio_id = b.studio_id and i.id = b.item_id;
  return null;
end
$$;

comment on function app.clear_coverage() is 'Trigger of app.item_valuations: a deleted projection becomes an empty one.';
--! EndIncluded app/functions/clear_coverage.sql
--! Included app/functions/write_counts.sql
-- Trigger, at the end of a transaction: adds its changes to the counters ('*' is all; an item
-- without a coverage state counts in its category and in all), in a slot that no other open
-- transaction uses (app.free_slot()). A total is the sum of its slots. One write a transaction,
-- because each further write would leave a dead row that later ones read.
create or replace function app.write_counts() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  changes app.count_changes[];
  studio uuid;
  own_slot smallint;
begin
  with noted as (
    delete from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id() returning n.*
  )
  select pg_catalog.array_agg(row(d.*)::app.count_changes) into changes from (
    select pg_catalog.pg_current_xact_id(), false, n.studio_id, n.counter, n.word, n.coverage_state, sum(n.difference)
    from noted n group by n.studio_id, n.counter, n.word, n.coverage_state having sum(n.difference) <> 0
  ) as d;

  for studio in select distinct c.studio_id from unnest(changes) as c order by 1 loop
    -- The session may have left the studio by now, or entered another.
    perform access.enter_studio(studio);
    own_slot := app.free_slot(studio);

    insert into app.item_counts as held (studio_id, category, coverage_state, slot, items)
    select studio, coalesce(c.word, '*'), coalesce(c.coverage_state, '*'), own_slot, sum(c.difference)
    from unnest(changes) as c
    where c.studio_id = studio and c.counter = 'items'
    group by grouping sets ((), (c.word), (c.coverage_state), (c.word, c.coverage_state))
    having (grouping(c.coverage_state) = 1 or c.coverage_state <> '') and sum(c.difference) <> 0
    order by 2, 3
    on conflict (studio_id, category, coverage_state, slot) do update set items = held.items + excluded.items;

    insert into app.maintenance_counts as held (studio_id, status, slot, records)
    select studio, coalesce(c.word, '*'), own_slot, sum(c.difference)
    from unnest(changes) as c
    where c.studio_id = studio and c.counter = 'maintenance'
    group by grouping sets ((), (c.word))
    having sum(c.difference) <> 0
    order by 2
    on conflict (studio_id, status, slot) do update set records = held.records + excluded.records;
  end loop;
  perform pg_catalog.set_config('studio.id', coalesce(outer_studio, ''), true);
  return null;
end
$$;

comment on function app.write_counts() is 'Trigger of app.count_changes: adds the changes of a transaction to the counters.';
--! EndIncluded app/functions/write_counts.sql
--! Included app/functions/count_items.sql
-- Trigger: notes in app.count_changes how a statement changed the number of live items per category
-- and coverage state ('' is none). app.write_counts() adds them to the counters at the commit.
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- The first change of a transaction makes app.write_counts() run at its end.
  is_first boolean := not exists (
    select from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id());
begin
  if tg_op = 'INSERT' then
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, c.studio_id, 'items', c.category, coalesce(c.coverage_state, ''), count(*)
    from changed c where c.archived_at is null group by 2, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, b.studio_id, 'items', b.category, coalesce(b.coverage_state, ''), -count(*)
    from before b where b.archived_at is null group by 2, 4, 5;
  else
    insert into app.count_changes (is_first, studio_id, counter, word, coverage_state, difference)
    select is_first, u.studio_id, 'items', u.category, coalesce(u.coverage_state, ''), sum(u.difference)
    from (
      select c.studio_id, c.category, c.coverage_state, 1 as difference from changed c where c.archived_at is null
      union all
      select b.studio_id, b.category, b.coverage_state, -1 from before b where b.archived_at is null
    ) as u
    group by 2, 4, 5 having sum(u.difference) <> 0;
  end if;
  return null;
end
$$;

comment on function app.count_items() is 'Trigger of app.items: notes how the numbers of live items changed.';
--! EndIncluded app/functions/count_items.sql
--! Included app/functions/copy_market_values.sql
-- Trigger: copies the market value to the item for its valuation, and the date for the list.
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
--! Included app/functions/copy_depreciation_changes.sql
-- Trigger of app.depreciation_changes: an item carries its changes, in the order of their days, so
-- that its valuation needs nothing else. Raises 23514 for a change that takes effect after today.
create or replace function app.copy_depreciation_changes() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  item_ids uuid[];
begin
  if tg_op = 'DELETE' then
    item_ids := array(select b.item_id from before b);
  else
    item_ids := array(select c.item_id from changed c);
    if exists (select from changed c where c.effective_on > access.current_studio_today()) then
      raise exception 'a change takes effect today or earlier'
        using errcode = '23514', schema = 'app', table = 'depreciation_changes', column = 'effective_on';
    end if;
  end if;
  if tg_op = 'UPDATE' then
    item_ids := item_ids || array(select b.item_id from before b);
  end if;
  update app.items i set depreciation_changes = (
    select pg_catalog.array_agg((c.effective_on, c.depreciation_method, c.useful_life_months, c.residual_value, c.depreciation_rate,
      c.switches_to_straight_line)::valuation.change order by c.effective_on)
    from app.depreciation_changes c where c.studio_id = i.studio_id and c.item_id = i.id)
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.copy_depreciation_changes() is 'Trigger of app.depreciation_changes: copies them to their items.';
--! EndIncluded app/functions/copy_depreciation_changes.sql
--! Included app/functions/record_market_values.sql
-- Trigger of app.market_values: keeps each new value in the history, so that a past day has the
-- market value that was known by then. A value is known from its date, or from today if its date is
-- in the future, because the API shows it now. The history records from today that a deleted value
-- is gone. It skips a value equal to the last one, unless its date is earlier. So neither a
-- repeated import nor a daily look-up adds rows.
create or replace function app.record_market_values() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  today date := access.current_studio_today();
  zone text := (select s.timezone from app.studios s where s.id = access.current_studio_id());
begin
  if tg_op = 'DELETE' then
    insert into app.market_value_history (studio_id, item_id, day)
    select b.studio_id, b.item_id, today from before b;
  else
    insert into app.market_value_history (studio_id, item_id, day, value, as_of)
    select c.studio_id, c.item_id, least((c.as_of at time zone zone)::date, today), c.value, c.as_of
    from changed c
    where not exists (
      select from (
        select h.day, h.value from app.market_value_history h
        where h.studio_id = c.studio_id and h.item_id = c.item_id order by h.id desc limit 1
      ) as last
      where last.value = c.value and last.day <= least((c.as_of at time zone zone)::date, today));
  end if;
  return null;
end
$$;

comment on function app.record_market_values() is 'Trigger of app.market_values: writes down what it became, and from which day.';
--! EndIncluded app/functions/record_market_values.sql
--! Included app/functions/keep.sql
-- Trigger of permanent tables: refuses every change. A row leaves only with its studio: by the
-- foreign key, or by access.remove_rows() during a removal. Raises 42501.
create or replace function app.keep() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (
    select from app.studios s where s.id = old.studio_id and s.removed_at is null)
  then
    return old;
  end if;
  raise exception '% is append-only', tg_relid::regclass using errcode = '42501';
end
$$;

comment on function app.keep() is 'Trigger of append-only tables: refuses every change but the removal with the studio.';
--! EndIncluded app/functions/keep.sql
--! Included app/functions/touch_photographed_items.sql
-- Trigger: an item shows its photos, so its updated_at moves with them. The new value always
-- differs from the old one; app.touch() makes the moment of it.
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
-- Trigger: copies to a maintenance record the name of its item, and whether the item is archived.
-- Locks the item, so that the item's next change finds the record.
create or replace function app.prepare_maintenance_record() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' or new.item_id <> old.item_id then
    select i.name, i.archived_at is not null into new.item_name, new.item_archived
    from app.items i where i.studio_id = new.studio_id and i.id = new.item_id
    for share;
    -- Without an item it is null, and the foreign key refuses the record.
    new.item_archived := coalesce(new.item_archived, false);
  end if;
  return new;
end
$$;

comment on function app.prepare_maintenance_record() is
  'Trigger of app.maintenance_records: copies the item''s name and archiving.';
--! EndIncluded app/functions/prepare_maintenance_record.sql
--! Included app/functions/copy_item_to_maintenance.sql
-- Trigger: maintenance records show the name of their item. They leave their list while it is
-- archived.
create or replace function app.copy_item_to_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = 'force_generic_plan' -- Planning would cost more than the work.
as $$
declare
  item_ids uuid[];
begin
  select pg_catalog.array_agg(m.id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
    select c.id, c.name, c.archived_at is null from changed c except select b.id, b.name, b.archived_at is null from before b) as m;
  if item_ids is not null then
    -- This is no join, for which the planner would read every record of the studio.
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
-- Trigger: notes how a statement changed the number of live items' maintenance records per status,
-- like app.count_items().
-- spec: meta.total — "Total number of matching records."
create or replace function app.count_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  is_first boolean := not exists (
    select from app.count_changes n where n.transaction = pg_catalog.pg_current_xact_id());
begin
  if tg_op = 'INSERT' then
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, c.studio_id, 'maintenance', c.status, count(*)
    from changed c where not c.item_archived group by 2, 4;
  elsif tg_op = 'DELETE' then
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, b.studio_id, 'maintenance', b.status, -count(*)
    from before b where not b.item_archived group by 2, 4;
  else
    insert into app.count_changes (is_first, studio_id, counter, word, difference)
    select is_first, u.studio_id, 'maintenance', u.status, sum(u.difference)
    from (
      select c.studio_id, c.status, 1 as difference from changed c where not c.item_archived
      union all
      select b.studio_id, b.status, -1 from before b where not b.item_archived
    ) as u
    group by 2, 4 having sum(u.difference) <> 0;
  end if;
  return null;
end
$$;

comment on function app.count_maintenance() is 'Trigger of app.maintenance_records: notes how the numbers of records changed.';
--! EndIncluded app/functions/count_maintenance.sql
--! Included app/functions/touch_assigned_items.sql
-- Trigger: an item shows its assignments, so a change of one moves its updated_at. The policy's
-- does not move: many assignments of one policy are written at once, and writers of two policies in
-- opposite orders would deadlock. Locks items in the order of their ids. The new value always
-- differs from the old one; app.touch() makes the moment of it.
create or replace function app.touch_assigned_items() returns trigger
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
    select pg_catalog.array_agg(u.item_id) into item_ids from ( -- This is no join: app.bump_data_version() says why.
      (select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c
       except
       select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b)
      union all
      (select b.id, b.item_id, b.policy_id, b.declared_value, b.is_primary, b.effective_start, b.effective_end from before b
       except
       select c.id, c.item_id, c.policy_id, c.declared_value, c.is_primary, c.effective_start, c.effective_end from changed c)
    ) as u;
  end if;
  if item_ids is null then
    return null;
  end if;
  perform from app.items i
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids) order by i.id for no key update;
  update app.items i set updated_at = i.updated_at + interval '1 millisecond'
  where i.studio_id = access.current_studio_id() and i.id = any (item_ids);
  return null;
end
$$;

comment on function app.touch_assigned_items() is
  'Trigger of app.policy_assignments: moves updated_at of the items whose assignments changed.';
--! EndIncluded app/functions/touch_assigned_items.sql
--! Included app/functions/record_removals.sql
-- Notes that records of the session's studio have just left their list. An earlier note with the
-- same reason is replaced.
create or replace function app.record_removals(resource text, ids uuid[], reason text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into app.removals (studio_id, resource, id, reason)
  select access.current_studio_id(), record_removals.resource, removed.id, record_removals.reason
  from unnest(record_removals.ids) as removed (id)
  on conflict on constraint removals_pkey do update set removed_at = excluded.removed_at;
end
$$;

comment on function app.record_removals(text, uuid[], text) is 'Notes that records have left their list.';
--! EndIncluded app/functions/record_removals.sql
--! Included app/functions/clear_removals.sql
-- Forgets removals of the session's studio whose records are in their list again, with a new
-- updated_at.
create or replace function app.clear_removals(resource text, ids uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from app.removals r
  where r.studio_id = access.current_studio_id() and r.resource = clear_removals.resource
    and r.id = any (clear_removals.ids);
end
$$;

comment on function app.clear_removals(text, uuid[]) is 'Forgets removals of records that are in their list again.';
--! EndIncluded app/functions/clear_removals.sql
--! Included app/functions/forget_removals.sql
-- Makes every client read everything again: an earlier updated_since gets 410. For a database with
-- another history than clients have seen (after a restore or failover), in which removals may be
-- missing. Allows the clocks of two servers to differ by ten seconds. Moves the versions of
-- answers, so that none matches the other history.
create or replace function app.forget_removals(history text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.sync_state s
  set history = forget_removals.history,
      removals_since = case when s.history is null then s.removals_since else app.stamp() + interval '10 seconds' end;
  perform app.add_data_version(array(select s.id from app.studios s order by s.id));
end
$$;

comment on function app.forget_removals(text) is 'Has every client read everything again, after a restore or a failover.';
--! EndIncluded app/functions/forget_removals.sql
--! Included app/functions/remove_items.sql
-- Trigger of app.items: notes the items that left the list in this statement (archived, deleted),
-- and forgets those that came back.
create or replace function app.remove_items() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where b.archived_at is null;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where c.archived_at is null and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'item' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.archived),
      pg_catalog.array_agg(m.id) filter (where not m.archived)
    into gone, back
    from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.archived_at is not null as archived from changed c
      except select b.id, b.archived_at is not null from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('item', gone, case tg_op when 'DELETE' then 'deleted' else 'archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('item', back);
  end if;
  return null;
end
$$;

comment on function app.remove_items() is 'Trigger of app.items: notes which items left the list.';
--! EndIncluded app/functions/remove_items.sql
--! Included app/functions/remove_maintenance.sql
-- Trigger of app.maintenance_records: notes the records that left the list in this statement
-- (deleted, or their item was archived), and forgets those that came back.
create or replace function app.remove_maintenance() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where not b.item_archived;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where not c.item_archived and exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'maintenance' and r.id = c.id);
  else
    select
      pg_catalog.array_agg(m.id) filter (where m.item_archived),
      pg_catalog.array_agg(m.id) filter (where not m.item_archived)
    into gone, back
    from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.item_archived from changed c except select b.id, b.item_archived from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('maintenance', gone, case tg_op when 'DELETE' then 'deleted' else 'item_archived' end);
  end if;
  if back is not null then
    perform app.clear_removals('maintenance', back);
  end if;
  return null;
end
$$;

comment on function app.remove_maintenance() is 'Trigger of app.maintenance_records: notes which records left the list.';
--! EndIncluded app/functions/remove_maintenance.sql
--! Included app/functions/shows_all_locations.sql
-- Whether a studio's plan shows all locations, or only the default one. An unpaid plan still
-- counts: REST and GraphQL then answer 403, and analysts read what they read before.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace function app.shows_all_locations(studio_id uuid) returns boolean
language sql stable security definer parallel safe
set search_path = ''
return coalesce((
  select s.plan = 'studio' from access.subscriptions s where s.studio_id = shows_all_locations.studio_id), false);

comment on function app.shows_all_locations(uuid) is 'Whether a studio''s plan shows all of its locations.';
--! EndIncluded app/functions/shows_all_locations.sql
--! Included access/functions/shows_all_locations.sql
-- Whether the plan of the session's studio shows all of its locations. A view uses it that analysts
-- read. When the studio does not pay, they still see what they saw.
create or replace function access.shows_all_locations() returns boolean
language sql stable security definer parallel safe
set search_path = ''
return app.shows_all_locations(access.current_studio_id());

comment on function access.shows_all_locations() is
  'Whether the plan of the session''s studio shows all of its locations, paid for or not.';
--! EndIncluded access/functions/shows_all_locations.sql
--! Included app/functions/hold_plan.sql
-- Trigger of app.locations, before a statement that may change which locations the plan shows.
-- Locks the plan, so that its next change (access.change_plan()) finds these locations. Runs before
-- any location is locked, because a change of the plan locks the subscription first.
create or replace function app.hold_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from access.subscriptions s where s.studio_id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_plan() is 'Trigger of app.locations: the plan stays as it is until they are written.';
--! EndIncluded app/functions/hold_plan.sql
--! Included app/functions/remove_locations.sql
-- Trigger of app.locations: notes the locations that left the list in this statement (deleted, or
-- no longer the default on a plan with one location), and forgets those that came back.
-- app.hold_plan() keeps the plan meanwhile.
create or replace function app.remove_locations() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  shows_all boolean;
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'UPDATE' then
    -- This is no join: app.bump_data_version() says why.
    if not exists (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) then
      return null;
    end if;
  end if;
  shows_all := app.shows_all_locations(access.current_studio_id());
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where shows_all or b.is_default;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'location' and r.id = c.id);
  elsif not shows_all then
    select
      pg_catalog.array_agg(m.id) filter (where not m.is_default),
      pg_catalog.array_agg(m.id) filter (where m.is_default)
    into gone, back
    from (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('location', gone, case tg_op when 'DELETE' then 'deleted' else 'not_in_plan' end);
  end if;
  if back is not null then
    perform app.clear_removals('location', back);
  end if;
  return null;
end
$$;

comment on function app.remove_locations() is 'Trigger of app.locations: notes which locations left the list.';
--! EndIncluded app/functions/remove_locations.sql
--! Included app/functions/refuse_cycle.sql
-- Trigger of app.locations: no location is its own ancestor. Walks from the written locations to
-- the top and locks each one on the way, so that nobody can move it until the transaction ends. If
-- two transactions would make a cycle together, one is refused or ends in a deadlock. Raises 23514.
create or replace function app.refuse_cycle() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  starts uuid[];
  places uuid[];
  levels integer := 0;
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id), pg_catalog.array_agg(c.parent_id) into starts, places
    from changed c where c.parent_id is not null;
  else -- This is no join: app.bump_data_version() says why.
    select pg_catalog.array_agg(m.id), pg_catalog.array_agg(m.parent_id) into starts, places
    from (select c.id, c.parent_id from changed c where c.parent_id is not null
      except select b.id, b.parent_id from before b) as m;
  end if;
  while starts is not null loop
    levels := levels + 1;
    if levels > 100 or exists (select from unnest(starts, places) as walked (start, place) where start = place) then
      raise exception 'a location cannot be inside itself' using errcode = '23514', constraint = 'locations_no_cycle',
        hint = 'Its parent is one of the locations that it contains, or there are more than 100 levels.';
    end if;
    perform from app.locations l
    where l.studio_id = access.current_studio_id() and l.id = any (places) order by l.id for share;
    select pg_catalog.array_agg(walked.start), pg_catalog.array_agg(l.parent_id) into starts, places
    from unnest(starts, places) as walked (start, place)
    join app.locations l on l.studio_id = access.current_studio_id() and l.id = walked.place
    where l.parent_id is not null;
  end loop;
  return null;
end
$$;

comment on function app.refuse_cycle() is 'Trigger of app.locations: no location is its own ancestor.';
--! EndIncluded app/functions/refuse_cycle.sql
--! Included app/functions/hold_time_zone.sql
-- Trigger of app.policies, before a statement that may move the beginning or end of a policy. Locks
-- the studio's time zone, so that its next change (app.change_time_zone()) finds these policies.
-- Runs before any policy is locked, because a change of the time zone locks the studio first.
create or replace function app.hold_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from app.studios s where s.id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_time_zone() is 'Trigger of app.policies: the time zone stays as it is until they are written.';
--! EndIncluded app/functions/hold_time_zone.sql
--! Included app/functions/schedule_policies.sql
-- Replaces the removals of the session's studio that say when policies leave the list of active
-- ones:
--   archived, expired, not_started  a policy that is not active has left the list now; one that has
--                                   not started comes back on its first day (returns_at)
--   expired                         an active policy with an end leaves after its last day
--                                   (removed_at, in the future), but never before an announced one:
--                                   a clock that was ahead may have passed that midnight
-- A policy leaves at the end of its last day (leaves_at), as in api_v1.policies.
-- brand_new: no list has shown these policies, so they cannot have left one before now.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and
-- effective_end (if set) has not passed."
create or replace function app.schedule_policies(policy_ids uuid[], brand_new boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  zone text;
  today date;
  announced timestamptz := (select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m);
  known uuid[]; -- These new policies have the id of one that was deleted before.
begin
  select s.timezone into zone from app.studios s where s.id = studio; -- app.hold_time_zone() has locked it
  -- Uses the clock and not the beginning of the transaction, because midnight may have passed
  -- since.
  today := ((access.clock() + (pg_catalog.clock_timestamp() - pg_catalog.now())) at time zone zone)::date;
  if brand_new then
    select pg_catalog.array_agg(r.id) into known from app.removals r
    where r.studio_id = studio and r.resource = 'policy' and r.id = any (policy_ids);
  end if;
  perform app.clear_removals('policy', policy_ids);

  insert into app.removals (studio_id, resource, id, reason, removed_at, leaves_at, returns_at)
  select studio, 'policy', p.id, left_list.reason,
    case when left_list.at is null then app.stamp() else greatest(left_list.at, announced) end,
    case when left_list.reason = 'expired' then access.first_moment(p.effective_end + 1, zone) end, left_list.returns_at
  from app.policies p
  cross join lateral (
    select
      case
        when p.archived_at is not null then 'archived'
        when p.effective_end < today then 'expired'
        else 'not_started'
      end as reason,
      null::timestamptz as at,
      case when p.archived_at is null and p.effective_start > today
        then access.first_moment(p.effective_start, zone) end as returns_at
    where (not brand_new or p.id = any (known)) and (
      p.archived_at is not null or p.effective_start is null or p.effective_start > today or p.effective_end < today)
    union all
    select 'expired', access.first_moment(p.effective_end + 1, zone), null
    where p.archived_at is null and p.effective_end >= today
  ) as left_list
  where p.studio_id = studio and p.id = any (policy_ids);
end
$$;

comment on function app.schedule_policies(uuid[], boolean) is 'Writes again when policies leave the list of active ones.';
--! EndIncluded app/functions/schedule_policies.sql
--! Included app/functions/remove_policies.sql
-- Trigger of app.policies: notes when policies leave the list of active ones. Notes the calendar's
-- changes in advance: the end of a policy as a future removal, and its beginning as the end of a
-- removal.
create or replace function app.remove_policies() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into ids from before b;
    perform app.clear_removals('policy', ids);
    perform app.record_removals('policy', ids, 'deleted');
    return null;
  end if;
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into ids from changed c;
  else
    select pg_catalog.array_agg(m.id) into ids from ( -- This is no join: app.bump_data_version() says why.
      select c.id, c.archived_at is null, c.effective_start, c.effective_end from changed c
      except select b.id, b.archived_at is null, b.effective_start, b.effective_end from before b) as m;
  end if;
  if ids is not null then
    perform app.schedule_policies(ids, tg_op = 'INSERT');
  end if;
  return null;
end
$$;

comment on function app.remove_policies() is 'Trigger of app.policies: notes when policies leave the list.';
--! EndIncluded app/functions/remove_policies.sql
--! Included app/functions/change_time_zone.sql
-- Trigger of app.studios: a new time zone moves the beginnings and ends of policies, and may make
-- one active or inactive at once.
create or replace function app.change_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  policy_ids uuid[];
begin
  perform access.enter_studio(new.id);
  -- Reads the policies again once it has the lock. A policy that somebody deleted meanwhile stays
  -- removed.
  with moved as (
    update app.policies p set updated_at = p.updated_at + interval '1 millisecond'
    where p.studio_id = new.id and p.archived_at is null returning p.id)
  select pg_catalog.array_agg(m.id) into policy_ids from moved m;
  if policy_ids is not null then
    perform app.schedule_policies(policy_ids, false);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function app.change_time_zone() is 'Trigger of app.studios: policies begin and end at other moments.';
--! EndIncluded app/functions/change_time_zone.sql
--! Included access/functions/change_plan.sql
-- Trigger of access.subscriptions: a plan that shows other locations removes locations from their
-- list, or brings them back with a new updated_at.
create or replace function access.change_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  location_ids uuid[];
begin
  if tg_op = 'UPDATE' and (old.plan = 'studio') = (new.plan = 'studio') then
    return null;
  end if;
  perform access.enter_studio(new.studio_id);
  select pg_catalog.array_agg(l.id) into location_ids
  from app.locations l where l.studio_id = new.studio_id and not l.is_default;
  if location_ids is not null then
    if new.plan = 'studio' then
      perform app.clear_removals('location', location_ids);
      update app.locations l set updated_at = l.updated_at + interval '1 millisecond'
      where l.studio_id = new.studio_id and l.id = any (location_ids);
    else
      perform app.record_removals('location', location_ids, 'not_in_plan');
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function access.change_plan() is
  'Trigger of access.subscriptions: removes the locations that a plan does not show, and brings them back.';
--! EndIncluded access/functions/change_plan.sql
--! Included access/functions/history.sql
-- The history of this database: the server's identifier and timeline. A dump restored elsewhere, a
-- point-in-time restore and a promoted standby have other histories.
create or replace function access.history() returns text
language sql volatile security definer
set search_path = ''
return (
  select c.system_identifier || '/'
    || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8)
  from pg_catalog.pg_control_system() c);

comment on function access.history() is 'Which history this database continues: system identifier and timeline.';
--! EndIncluded access/functions/history.sql
--! Included access/functions/heartbeat.sql
-- Moves the watermark. Every process of the service calls it once a second; one of them writes. A
-- heartbeat stores the moment that the previous one announced, and announces a later one. So a
-- transaction with a greater id began to write after that announcement, and its stamps are not
-- earlier (app.stamp()). While the clock is behind, because somebody has set it back, announcements
-- move by 10 ms: a row that changes several times between two heartbeats gets stamps 1 ms apart, and
-- polls must not stay behind them. After a restore or failover the database has another history, so
-- clients may hold changes that it lacks: app.forget_removals() makes them read everything again.
-- The old heartbeats stay valid only if the server continues the transaction ids: a promoted standby
-- does, a restored dump does not.
create or replace function access.heartbeat() returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  clock bigint := pg_catalog.floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000);
  announced bigint;
  history text := access.history();
  last_history text := (select s.history from app.sync_state s);
begin
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('access.heartbeat', 0)) then
    return;
  end if;
  select m.last_value into announced from app.announced_moment m;
  if clock - announced between 0 and 800 then
    return; -- Another process has just written the heartbeat.
  end if;

  if history is distinct from last_history then
    if pg_catalog.split_part(history, '/', 1) is distinct from pg_catalog.split_part(last_history, '/', 1) then
      delete from app.heartbeats h; -- In this history, their transaction ids have no meaning.
    end if;
    perform app.forget_removals(history);
  end if;

  insert into app.heartbeats (xid, at)
  values (pg_catalog.pg_current_xact_id(), timestamptz 'epoch' + announced * interval '1 millisecond');
  perform pg_catalog.setval('app.announced_moment', greatest(clock, announced + 10));

  -- Snapshots use the newest heartbeat that is older than every open transaction. No snapshot will
  -- need one before that.
  delete from app.heartbeats h where h.xid < (
    select k.xid from app.heartbeats k
    where k.xid < pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot()) order by k.xid desc limit 1);
end
$$;

comment on function access.heartbeat() is 'Moves the watermark; called once a second.';
--! EndIncluded access/functions/heartbeat.sql
--! Included access/functions/purge_removals.sql
-- Deletes removals older than a number of days, of the studios after one, in the order of their ids
-- (null: of all), at most at_most removals of at most 500 studios in a transaction. Returns how many
-- it deleted, and the studio to continue after; null when it has seen every studio. Requests for
-- older removals then get a 410. Skips rows that somebody is writing to, and does nothing while
-- another session purges. Its caller must be a login that may enter studios
-- (access.current_studio_id()).
create or replace function access.purge_removals(
  days integer, inout after_studio uuid default null, at_most integer default 10000, out purged bigint
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  horizon timestamptz := pg_catalog.now() - pg_catalog.make_interval(days => days);
  seen_studio uuid;
  studio uuid;
  deleted bigint;
begin
  purged := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('access.purge_removals', 0)) then
    after_studio := null;
    return;
  end if;
  update app.sync_state s set removals_since = horizon where s.removals_since < horizon;
  for studio in
    select s.id from app.studios s where after_studio is null or s.id > after_studio order by s.id limit 500
  loop
    perform access.enter_studio(studio);
    with old as materialized (
      select r.resource, r.id, r.reason from app.removals r
      where r.studio_id = studio and r.removed_at < horizon
      limit at_most - purged for update skip locked)
    delete from app.removals r using old o
    where r.studio_id = studio and r.resource = o.resource and r.id = o.id and r.reason = o.reason;
    get diagnostics deleted = row_count;
    if deleted > 0 then
      perform app.add_data_version(array[studio]);
    end if;
    purged := purged + deleted;
    -- This studio may have more.
    exit when purged >= at_most;
    seen_studio := studio;
  end loop;
  -- Nothing is left when the last studio was seen, and not when the limit stopped it.
  if purged < at_most and (studio is null or not exists (select from app.studios s where s.id > seen_studio)) then
    after_studio := null;
  else
    after_studio := coalesce(seen_studio, after_studio, '00000000-0000-0000-0000-000000000000');
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function access.purge_removals(integer, uuid, integer) is
  'Forgets removals that are older than a number of days, in parts.';
--! EndIncluded access/functions/purge_removals.sql
--! Included access/functions/record_job.sql
-- Keeps how the last run of a job ended, for `studio-inventory jobs`. A failure leaves the last
-- success as it was. Instances that run the same job share its row.
--   job              its name, of 100 characters at most
--   every_s, took_s  the pause between two runs and the length of this one, in seconds
--   changed          how many rows it changed
--   failure          why it failed, cut after 500 characters; null for a success
create or replace function access.record_job(
  job text, every_s double precision, took_s double precision, changed bigint, failure text
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into access.jobs as j (name, every, succeeded_at, took, rows, failed_at, failure)
  values (
    job, pg_catalog.make_interval(secs => every_s),
    case when record_job.failure is null then pg_catalog.now() end,
    case when record_job.failure is null then pg_catalog.make_interval(secs => took_s) end,
    case when record_job.failure is null then changed end,
    case when record_job.failure is not null then pg_catalog.now() end,
    pg_catalog.left(record_job.failure, 500))
  on conflict (name) do update set
    every = excluded.every,
    succeeded_at = coalesce(excluded.succeeded_at, j.succeeded_at),
    took = coalesce(excluded.took, j.took),
    rows = coalesce(excluded.rows, j.rows),
    failed_at = coalesce(excluded.failed_at, j.failed_at),
    failure = coalesce(excluded.failure, j.failure);
end
$$;

comment on function access.record_job(text, double precision, double precision, bigint, text) is
  'Keeps how the last run of a job ended.';
--! EndIncluded access/functions/record_job.sql
--! Included access/functions/purge_uploads.sql
-- Deletes files that nobody imported within an hour (console.keep_upload), and returns their
-- number. It has no arguments, so that its caller cannot choose what to delete.
create or replace function access.purge_uploads() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  delete from access.console_uploads u where u.expires_at < pg_catalog.now();
  get diagnostics purged = row_count;
  return purged;
end
$$;

comment on function access.purge_uploads() is 'Deletes the uploads that have expired.';
--! EndIncluded access/functions/purge_uploads.sql
--! Included access/functions/purge_activity.sql
-- Deletes the details of requests older than 90 days (addresses, programs, parameters), oldest
-- first, at most at_most in a transaction, and what analysts last asked before that. Returns the
-- number of requests: call it until it returns 0. No argument chooses what to delete. Skips rows that
-- somebody is writing to.
create or replace function access.purge_activity(at_most integer default 5000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  with old as materialized (
    select a.studio_id, a.token_id, a.id from access.request_activity a
    where a.details is not null and a.at < pg_catalog.now() - interval '90 days'
    order by a.at
    limit at_most for update skip locked)
  update access.request_activity a set details = null
  from old o
  where a.studio_id = o.studio_id and a.token_id = o.token_id and a.id = o.id;
  get diagnostics purged = row_count;
  delete from access.analyst_statements s where s.last_at < pg_catalog.now() - interval '90 days';
  return purged;
end
$$;

comment on function access.purge_activity(integer) is 'Forgets the details of requests of more than 90 days ago, in parts.';
--! EndIncluded access/functions/purge_activity.sql
--! Included app/functions/open_import.sql
-- Opens an import into one table of the session's studio, until the end of the transaction. Returns
-- the studio's time zone and currency. Two temporary tables, because COPY cannot write into a table
-- with row-level security:
--   pg_temp.import_rows        the rows of a file. Before the table's own columns: references as
--                              written, the existing row with its key (existing_id), and
--                              change: new, changed or same (at first null for photos, else new)
--                              A row of several pieces is several rows: piece counts them from 1
--   pg_temp.import_row_errors  their errors, and what is doubtful in them by the name of the doubt
--                              (doubt)
-- The owner makes them and lends them to the writer, who must not have TEMP: PostgreSQL looks for
-- types in pg_temp first, in spite of search_path, so a login could make a type there that makes a
-- function of the owner run other code. The session gets the studio's time zone: a date is midnight
-- there. Ten minutes without a statement end it: somebody may have to confirm that records are
-- archived, and until then all studios' polls wait. A studio has one import at a time. Raises 22023
-- for a table without imports, 42501 without a studio, 55P03 while another import runs.
create or replace function app.open_import(target text, out timezone text, out currency text)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if target is null or target not in ('locations', 'items', 'item_photos', 'market_values', 'depreciation_changes', 'policies',
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

  select pg_catalog.set_config('TimeZone', s.timezone, true), s.currency into timezone, currency
  from app.studios s where s.id = access.current_studio_id();

  perform pg_catalog.set_config('idle_in_transaction_session_timeout', '10min', true);

  execute pg_catalog.format('create temporary table import_rows on commit drop as
    select null::bigint as line, null::integer as piece, null::text[] as invalid_columns, null::text as change, null::uuid as existing_id,
      null::text as location, null::text as parent, null::text as item, null::text as policy, null::boolean as archived,
      null::text as file, null::text as item_in_name, null::smallint as position_in_name,
      t.*
    from app.%I t with no data', target);
  if target <> 'item_photos' then
    execute 'alter table pg_temp.import_rows alter column change set default ''new''';
  end if;
  -- After an undone large import PostgreSQL may believe that the table is empty. Without these
  -- settings it would then join in quadratic time.
  execute 'create index on pg_temp.import_rows (existing_id) where change = ''changed''';
  execute 'alter table pg_temp.import_rows alter column piece set default 1';
  if target in ('items', 'policies') then
    execute 'create index on pg_temp.import_rows (external_key)';
  end if;
  execute 'create temporary table import_row_errors (
    line bigint, column_name text, value text, problem text not null, remedy text, doubt text
  ) on commit drop';
  execute 'grant select, insert, update on pg_temp.import_rows to studio_writer';
  execute 'grant select, insert, delete on pg_temp.import_row_errors to studio_writer';
end
$$;

comment on function app.open_import(text) is
  'Opens an import into one table: temporary tables for the rows of a file and for what is wrong with them.';
--! EndIncluded app/functions/open_import.sql
--! Included app/triggers/count_changes.sql
-- The trigger of app.count_changes: at the end of the transaction, or when it checks its
-- constraints.
do $$
begin
  if not exists (select from pg_catalog.pg_trigger t
    where t.tgrelid = 'app.count_changes'::regclass and t.tgname = 'write_counts') then
    create constraint trigger write_counts after insert on app.count_changes
      deferrable initially deferred for each row when (new.is_first) execute function app.write_counts();
  end if;
end
$$;
--! EndIncluded app/triggers/count_changes.sql
--! Included app/triggers/studios.sql
-- The triggers of app.studios. Triggers of one event run in the order of their names.
create or replace trigger b_check before insert or update on app.studios
  for each row execute function app.check_studio();
create or replace trigger c_touch before update on app.studios
  for each row execute function app.touch();
create or replace trigger bump after insert or update on app.studios
  for each row execute function app.bump_own_data_version('id');
create or replace trigger change_time_zone after update of timezone on app.studios
  for each row when (old.timezone <> new.timezone) execute function app.change_time_zone();
create or replace trigger change_currency after update of currency on app.studios
  for each row when (old.currency <> new.currency) execute function app.change_currency();
--! EndIncluded app/triggers/studios.sql
--! Included app/triggers/locations.sql
-- The triggers of app.locations. Triggers of one event run in the order of their names.
create or replace trigger a_hold_plan before insert or update of is_default or delete on app.locations
  for each statement execute function app.hold_plan();
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

create or replace trigger remove_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.remove_locations();
create or replace trigger remove_deleted after delete on app.locations
  referencing old table as before for each statement execute function app.remove_locations();

create or replace trigger refuse_cycle_inserted after insert on app.locations
  referencing new table as changed for each statement execute function app.refuse_cycle();
create or replace trigger refuse_cycle_updated after update on app.locations
  referencing old table as before new table as changed for each statement execute function app.refuse_cycle();
--! EndIncluded app/triggers/locations.sql
--! Included app/triggers/items.sql
-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_hold_currency before insert on app.items
  for each statement execute function app.hold_currency();
create or replace trigger a_require_session before update or delete on app.items
  for each row execute function app.require_session();
-- app.require_session() gives the same answer where the setting studio.id counts, and costs ten
-- times as much. Where the setting does not count (access.current_studio_id()), nobody may insert,
-- and the policies refuse the row.
create or replace trigger a_require_session_of_new before insert on app.items
  for each row when (new.studio_id::text is distinct from pg_catalog.current_setting('studio.id', true))
  execute function app.require_session();
create or replace trigger b_amounts before update of purchase_price, residual_value, manual_value, replacement_cost,
    reported_insured_value, disposal_proceeds on app.items
  for each row execute function app.settle_amounts();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.items
  for each row execute function app.store_document();
-- It always runs. A writer that skips triggers, such as replication, would leave wrong documents.
alter table app.items enable always trigger d_store_document;

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

create or replace trigger remove_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_deleted after delete on app.items
  referencing old table as before for each statement execute function app.remove_items();
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
create or replace trigger a_require_session before update or delete on app.item_valuations
  for each row execute function app.require_session();
-- The trigger of app.items has the same condition, and says why.
create or replace trigger a_require_session_of_new before insert on app.item_valuations
  for each row when (new.studio_id::text is distinct from pg_catalog.current_setting('studio.id', true))
  execute function app.require_session();
create or replace trigger c_touch before update on app.item_valuations
  for each row execute function app.touch();

create or replace trigger clear_coverage after delete on app.item_valuations
  referencing old table as before for each statement execute function app.clear_coverage();

create or replace trigger bump_inserted after insert on app.item_valuations
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.item_valuations
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.item_valuations
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/item_valuations.sql
--! Included app/triggers/market_values.sql
-- The triggers of app.market_values. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.market_values
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of value on app.market_values
  for each row execute function app.settle_amounts();

create or replace trigger copy_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.copy_market_values();

create or replace trigger record_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.record_market_values();
--! EndIncluded app/triggers/market_values.sql
--! Included app/triggers/depreciation_changes.sql
-- The triggers of app.depreciation_changes. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.depreciation_changes
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of residual_value on app.depreciation_changes
  for each row execute function app.settle_amounts();

create or replace trigger copy_inserted after insert on app.depreciation_changes
  referencing new table as changed for each statement execute function app.copy_depreciation_changes();
create or replace trigger copy_updated after update on app.depreciation_changes
  referencing old table as before new table as changed for each statement execute function app.copy_depreciation_changes();
create or replace trigger copy_deleted after delete on app.depreciation_changes
  referencing old table as before for each statement execute function app.copy_depreciation_changes();
--! EndIncluded app/triggers/depreciation_changes.sql
--! Included app/triggers/market_value_history.sql
-- The triggers of app.market_value_history, which never changes.
create or replace trigger a_require_session before insert on app.market_value_history
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.market_value_history
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.market_value_history
  for each statement execute function app.keep();
--! EndIncluded app/triggers/market_value_history.sql
--! Included app/triggers/closings.sql
-- The triggers of app.closings and app.closed_values, which never change.
create or replace trigger a_require_session before insert on app.closings
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closings
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closings
  for each statement execute function app.keep();

create or replace trigger a_require_session before insert on app.closed_values
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closed_values
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closed_values
  for each statement execute function app.keep();
--! EndIncluded app/triggers/closings.sql
--! Included app/triggers/maintenance_records.sql
-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of cost on app.maintenance_records
  for each row execute function app.settle_amounts();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.maintenance_records
  for each row execute function app.store_document();
-- It always runs. A writer that skips triggers, such as replication, would leave wrong documents.
alter table app.maintenance_records enable always trigger d_store_document;

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

create or replace trigger remove_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.remove_maintenance();
--! EndIncluded app/triggers/maintenance_records.sql
--! Included app/triggers/policies.sql
-- The triggers of app.policies. Triggers of one event run in the order of their names.
create or replace trigger a_hold_time_zone before insert or update of archived_at, effective_start, effective_end on app.policies
  for each statement execute function app.hold_time_zone();
create or replace trigger a_require_session before insert or update or delete on app.policies
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of overall_limit, deductible on app.policies
  for each row execute function app.settle_amounts();
create or replace trigger c_touch before update on app.policies
  for each row execute function app.touch();

create or replace trigger bump_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.policies
  referencing new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_updated after update on app.policies
  referencing old table as before new table as changed for each statement execute function app.remove_policies();
create or replace trigger remove_deleted after delete on app.policies
  referencing old table as before for each statement execute function app.remove_policies();
--! EndIncluded app/triggers/policies.sql
--! Included app/triggers/policy_assignments.sql
-- The triggers of app.policy_assignments. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.policy_assignments
  for each row execute function app.require_session();
create or replace trigger b_amounts before insert or update of declared_value on app.policy_assignments
  for each row execute function app.settle_amounts();
create or replace trigger c_touch before update on app.policy_assignments
  for each row execute function app.touch();

create or replace trigger touch_items_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.touch_assigned_items();
create or replace trigger touch_items_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement
  execute function app.touch_assigned_items();
create or replace trigger touch_items_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.touch_assigned_items();

create or replace trigger bump_inserted after insert on app.policy_assignments
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.policy_assignments
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.policy_assignments
  referencing old table as before for each statement execute function app.bump_data_version();
--! EndIncluded app/triggers/policy_assignments.sql
--! Included access/functions/refuse_change.sql
-- Trigger of append-only tables: refuses every change.
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
-- spec: "Issuance and revocation are both written to the studio's audit log." Its rows never
-- change.
create or replace trigger append_only before update or delete on access.audit_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.audit_log
  for each statement execute function access.refuse_change();
--! EndIncluded access/triggers/audit_log.sql
--! Included access/functions/keep_archived.sql
-- Trigger of access.subscriptions: a studio whose removal has begun never gets a plan again.
-- Checked here and not in access.entitled_plan(), because every request asks for the plan. Raises
-- SI409.
create or replace function access.keep_archived() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.archived_at is null and exists (select from app.studios s where s.id = new.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return new;
end
$$;

comment on function access.keep_archived() is 'Trigger of access.subscriptions: a studio that is being removed has no plan again.';
--! EndIncluded access/functions/keep_archived.sql
--! Included access/triggers/subscriptions.sql
-- The account shows the plan and its period, so the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');

-- Each plan shows either all locations or only the default one.
create or replace trigger change_plan after insert or update of plan on access.subscriptions
  for each row execute function access.change_plan();

-- Nobody can undo a removal.
create or replace trigger keep_archived before insert or update on access.subscriptions
  for each row execute function access.keep_archived();
--! EndIncluded access/triggers/subscriptions.sql

-- Who sees which rows
--! Included app/row_level_security.sql
-- These policies decide who sees which rows of app. Each table has one for everybody, and all have
-- the same two expressions. A second one lets studio_backup read, as which nobody can log in:
-- without a superuser nobody else could make a backup. It changes no statement of another role.
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
      ('market_value_history', 'A studio''s former market values are seen and written by it alone'),
      ('depreciation_changes', 'A studio''s changes of depreciation are seen and written by it alone'),
      ('closings', 'A studio''s closings are seen and written by that studio alone'),
      ('closed_values', 'A studio''s closed values are seen and written by that studio alone'),
      ('maintenance_records', 'A studio''s maintenance records are seen and written by it alone'),
      ('maintenance_counts', 'A studio''s maintenance counts are seen and written by it alone'),
      ('policies', 'A studio''s policies are seen and written by that studio alone'),
      ('policy_assignments', 'A studio''s policy assignments are seen and written by it alone'),
      ('removals', 'A studio''s removals are seen and written by that studio alone')
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
    execute pg_catalog.format('drop policy if exists "A backup has every row" on app.%I', policy.relation);
    execute pg_catalog.format('create policy "A backup has every row" on app.%I as permissive for select to studio_backup using (true)',
      policy.relation);
  end loop;
end
$$;
--! EndIncluded app/row_level_security.sql

-- People, plans and tokens
--! Included access/functions/add_member.sql
-- Makes somebody a member of a studio, and a user if the e-mail is new, or changes the role of a
-- member. Returns the user's id.
--   email  stored in lower case (ASCII), so that no studio sees how another typed it
--   name   this studio's own name for a new member; empty or null: the e-mail
--   role   owner, admin or member
create or replace function access.add_member(studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  insert into access.users as u (email) values (pg_catalog.lower(add_member.email collate "C"))
  on conflict (lower(email collate "C")) do update set email = u.email
  returning u.id into person;

  insert into access.members (studio_id, user_id, role, name)
  values (add_member.studio_id, person, add_member.role, coalesce(add_member.name, ''))
  on conflict (studio_id, user_id) do update set role = excluded.role;
  return person;
end
$$;

comment on function access.add_member(uuid, text, text, text) is
  'Makes somebody a member of a studio, or changes a member''s role; returns the user''s id.';
--! EndIncluded access/functions/add_member.sql
--! Included access/functions/remove_member.sql
-- Removes a member from a studio. Tokens that were scoped to the member lose their scope and act as
-- their issuer (by the foreign key of access.tokens). Does nothing for other people.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its
-- issuer".
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
--! Included access/functions/may_manage.sql
-- Returns the role of an owner or admin who is about to manage a studio or its members. Their
-- membership stays as it is until the end of the transaction. People who manage one studio do so
-- one after the other, because this locks its owners; each sees what the previous one did.
--   to_owner  whether only owners may do it: make, change or remove an owner, or remove the studio
-- Raises 42501, and SI409 once the studio is being removed.
create or replace function access.may_manage(studio_id uuid, user_id uuid, to_owner boolean) returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  role text;
begin
  perform from access.members m
  where m.studio_id = may_manage.studio_id and m.role = 'owner' order by m.user_id for no key update;
  select m.role into role from access.members m
  where m.studio_id = may_manage.studio_id and m.user_id = may_manage.user_id and m.role in ('owner', 'admin')
  for share;
  if role is null then
    raise exception 'only an owner or admin of the studio can do that' using errcode = '42501';
  elsif to_owner and role <> 'owner' then
    raise exception 'only an owner of the studio can remove it, or make, change or remove an owner' using errcode = '42501';
  elsif exists (select from app.studios s where s.id = may_manage.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return role;
end
$$;

comment on function access.may_manage(uuid, uuid, boolean) is
  'The role of an owner or admin who manages a studio or its members.';
--! EndIncluded access/functions/may_manage.sql
--! Included access/functions/keep_an_owner.sql
-- Raises SI409 when this user is the only owner of the studio. Call access.may_manage() first. It
-- stops others from removing another owner meanwhile.
create or replace function access.keep_an_owner(studio_id uuid, user_id uuid) returns void
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  if not exists (
    select from access.members m
    where m.studio_id = keep_an_owner.studio_id and m.role = 'owner' and m.user_id <> keep_an_owner.user_id)
  then
    raise exception 'the last owner of a studio can neither be removed nor get another role' using errcode = 'SI409',
      hint = 'Make somebody else an owner first.';
  end if;
end
$$;

comment on function access.keep_an_owner(uuid, uuid) is 'Refuses to go on when this user is the only owner of the studio.';
--! EndIncluded access/functions/keep_an_owner.sql
--! Included access/functions/admit_member.sql
-- Makes somebody a member of a studio in the name of an owner or admin, and records it in the audit
-- log. Returns the user's id.
--   email  the e-mail for signing in; an unknown one makes a new user
--   name   this studio's name for the person (up to 100 characters; may be empty)
--   role   owner (only by owners), admin or member
-- Raises 22023 (email, name, role), SI409 (already a member), and what access.may_manage() raises.
create or replace function access.admit_member(studio_id uuid, email text, name text, role text, done_by uuid) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
  former_role text;
begin
  if coalesce(admit_member.role, '') not in ('owner', 'admin', 'member') then
    raise exception 'a role is owner, admin or member' using errcode = '22023';
  elsif coalesce(admit_member.email, '') !~ '^[^@\s]+@[^@\s]+$' or pg_catalog.char_length(admit_member.email) > 254 then
    raise exception 'an e-mail is written like mia@studio.example' using errcode = '22023';
  elsif pg_catalog.char_length(admit_member.name) > 100 then
    raise exception 'a name has at most 100 characters' using errcode = '22023';
  elsif not access.is_plain(admit_member.name) then
    raise exception 'a name is one line, without marks of direction' using errcode = '22023';
  end if;
  perform access.may_manage(admit_member.studio_id, admit_member.done_by, admit_member.role = 'owner');

  select u.id, m.role into person, former_role
  from access.users u left join access.members m on m.user_id = u.id and m.studio_id = admit_member.studio_id
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(admit_member.email collate "C");
  if former_role is not null then
    raise exception '% is a member of the studio already', admit_member.email using errcode = 'SI409',
      hint = 'The role of a member can be changed.';
  end if;

  person := access.add_member(admit_member.studio_id, admit_member.email, admit_member.name, admit_member.role);
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (admit_member.studio_id, 'member.added', admit_member.done_by, person, admit_member.role);
  return person;
end
$$;

comment on function access.admit_member(uuid, text, text, text, uuid) is
  'Makes somebody a member of a studio in the name of an owner or admin; returns the user''s id.';
--! EndIncluded access/functions/admit_member.sql
--! Included access/functions/change_role.sql
-- Changes a member's role in the name of an owner or admin, and records it in the audit log. Does
-- nothing if the member has the role already.
--   role  owner, admin or member; only owners make owners or change their role
-- Raises 22023 (role), SI404 (no such member), SI409 (the last owner), and what access.may_manage()
-- raises.
create or replace function access.change_role(studio_id uuid, user_id uuid, role text, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
begin
  if coalesce(change_role.role, '') not in ('owner', 'admin', 'member') then
    raise exception 'a role is owner, admin or member' using errcode = '22023';
  end if;
  perform access.may_manage(change_role.studio_id, change_role.done_by, change_role.role = 'owner');
  select m.role into former from access.members m
  where m.studio_id = change_role.studio_id and m.user_id = change_role.user_id
  for update;
  if former is null then
    raise exception 'the studio has no such member' using errcode = 'SI404';
  elsif former = change_role.role then
    return;
  elsif former = 'owner' then
    perform access.may_manage(change_role.studio_id, change_role.done_by, true);
    perform access.keep_an_owner(change_role.studio_id, change_role.user_id);
  end if;

  update access.members m set role = change_role.role
  where m.studio_id = change_role.studio_id and m.user_id = change_role.user_id;
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (change_role.studio_id, 'member.role_changed', change_role.done_by, change_role.user_id,
    former || ' → ' || change_role.role);
end
$$;

comment on function access.change_role(uuid, uuid, text, uuid) is
  'Gives a member of a studio another role in the name of an owner or admin.';
--! EndIncluded access/functions/change_role.sql
--! Included access/functions/first_period.sql
-- The month or year (renews) that begins with this day on a studio's calendar.
create or replace function access.first_period(studio_id uuid, renews text)
returns table (period_start timestamptz, period_end timestamptz)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    access.first_moment(access.studio_today(s.id), s.timezone),
    access.first_moment(
      (access.studio_today(s.id) + case renews when 'year' then interval '1 year' else interval '1 month' end)::date, s.timezone)
  from app.studios s where s.id = first_period.studio_id;
end;

comment on function access.first_period(uuid, text) is
  'The period of a month or a year that begins today on a studio''s calendar.';
--! EndIncluded access/functions/first_period.sql
--! Included access/functions/set_subscription.sql
-- Sets a studio's subscription from the billing system; the next request uses it. status: trialing
-- (needs trial_ends_at), active, past_due or canceled. Null dates are unknown.
--   renews  month or year: when a period of an active subscription ends, the next one of the same
--           length begins, so nobody has to set each period. Without dates the first one begins
--           today. Null: the period stays as it was set, even after its end
create or replace function access.set_subscription(
  studio_id uuid, plan text, status text, trial_ends_at timestamptz default null,
  current_period_start timestamptz default null, current_period_end timestamptz default null, renews text default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  period_start timestamptz;
  period_end timestamptz;
begin
  if set_subscription.renews is not null and set_subscription.current_period_start is null then
    select p.period_start, p.period_end into period_start, period_end
    from access.first_period(set_subscription.studio_id, set_subscription.renews) p;
  end if;
  insert into access.subscriptions
    (studio_id, plan, status, trial_ends_at, current_period_start, current_period_end, renews)
  values (
    set_subscription.studio_id, set_subscription.plan, set_subscription.status, set_subscription.trial_ends_at,
    coalesce(set_subscription.current_period_start, period_start),
    coalesce(set_subscription.current_period_end, period_end), set_subscription.renews
  )
  on conflict (studio_id) do update set
    plan = excluded.plan, status = excluded.status, trial_ends_at = excluded.trial_ends_at,
    current_period_start = excluded.current_period_start, current_period_end = excluded.current_period_end,
    renews = excluded.renews;
end
$$;

comment on function access.set_subscription(uuid, text, text, timestamptz, timestamptz, timestamptz, text) is
  'Sets a studio''s plan, its status and its period; it takes effect with the next request.';
--! EndIncluded access/functions/set_subscription.sql
--! Included access/functions/create_studio.sql
-- Creates a studio with its default location, its owner (a new user for a new e-mail) and an active
-- subscription that renews each month. Returns the studio's id. Raises 22023 for an unknown time
-- zone; the tables' checks refuse the rest.
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
  -- studio_hash is unique, so that policies can compare it first. If an id's hash is taken (once in
  -- two thousand among a million studios), tries another id.
  while studio is null loop
    insert into app.studios as s (name, timezone, currency)
    values (create_studio.name, create_studio.timezone, create_studio.currency)
    on conflict (studio_hash) do nothing
    returning s.id into studio;
  end loop;
  perform access.set_subscription(studio, create_studio.plan, 'active', renews => 'month');
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
--! Included access/functions/rename_studio.sql
-- Renames a studio in the name of an owner or admin, and records the old name in the audit log.
-- Raises 22023 (name), and what access.may_manage() raises.
create or replace function access.rename_studio(studio_id uuid, name text, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
begin
  if coalesce(rename_studio.name, '') !~ '\S' or pg_catalog.char_length(rename_studio.name) > 200 then
    raise exception 'a studio needs a name of 1 to 200 characters' using errcode = '22023';
  end if;
  perform access.may_manage(rename_studio.studio_id, rename_studio.done_by, false);
  select s.name into former from app.studios s where s.id = rename_studio.studio_id for no key update;
  if former = rename_studio.name then
    return;
  end if;
  update app.studios s set name = rename_studio.name where s.id = rename_studio.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (rename_studio.studio_id, 'studio.renamed', rename_studio.done_by, former);
end
$$;

comment on function access.rename_studio(uuid, text, uuid) is 'Gives a studio another name in the name of an owner or admin.';
--! EndIncluded access/functions/rename_studio.sql
--! Included access/functions/archive_studio.sql
-- Archives a studio, or restores it, in the name of an owner, and records that in the audit log. An
-- archived studio has no plan, so the API, GraphQL and the console are off; its data, members and
-- tokens stay. A studio that is archived already stays as it is. Open sessions of its analysts see
-- nothing from then on; the administrator stops their logins (access.lock_analyst).
-- Raises SI404 (a studio without a subscription), and what access.may_manage() raises: a removal
-- cannot be undone.
create or replace function access.archive_studio(studio_id uuid, archived boolean, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  was boolean;
begin
  perform access.may_manage(archive_studio.studio_id, archive_studio.done_by, true);
  select s.archived_at is not null into was
  from access.subscriptions s where s.studio_id = archive_studio.studio_id for no key update;
  if was is null then
    raise exception 'the studio has no subscription' using errcode = 'SI404';
  elsif was = archived then
    return;
  end if;
  update access.subscriptions s set archived_at = case when archived then pg_catalog.now() end
  where s.studio_id = archive_studio.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id)
  values (archive_studio.studio_id, case when archived then 'studio.archived' else 'studio.restored' end, archive_studio.done_by);
end
$$;

comment on function access.archive_studio(uuid, boolean, uuid) is
  'Takes a studio out of use, or brings it back, in the name of an owner.';
--! EndIncluded access/functions/archive_studio.sql
--! Included access/functions/forget_people.sql
-- Forgets the people of a studio that was just removed: its former members, and those in its logs.
-- Deletes them, or keeps only the id of a person whom a log still names. A member of another
-- studio, or a person in its logs, keeps the e-mail, by which those logs show them, unless that
-- studio is removed, too.
create or replace function access.forget_people(studio_id uuid, former uuid[]) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid;
begin
  for person in
    with named as materialized (
      select l.studio_id, p.id
      from access.audit_log l cross join lateral (values (l.actor_user_id), (l.member_user_id), (l.scope_user_id)) as p (id)
      where p.id is not null
      union
      select l.studio_id, l.user_id from access.analyst_log l where l.user_id is not null)
    select u.id from access.users u
    where (u.id = any (former) or u.id in (select n.id from named n where n.studio_id = forget_people.studio_id))
      and not exists (select from named n join app.studios s on s.id = n.studio_id where n.id = u.id)
    order by u.id for update of u
  loop
    -- Reads again after it has locked the person. Another studio may have added them until then,
    -- and cannot do so any more.
    continue when exists (select from access.members m where m.user_id = person);
    delete from access.console_sessions s where s.user_id = person;
    delete from access.console_uploads u where u.user_id = person;
    begin
      delete from access.users u where u.id = person;
    exception when foreign_key_violation then
      update access.users u set email = person || '@removed.invalid' where u.id = person;
    end;
  end loop;
end
$$;

comment on function access.forget_people(uuid, uuid[]) is
  'Forgets the people of a removed studio whom no other one knows.';
--! EndIncluded access/functions/forget_people.sql
--! Included access/functions/begin_removal.sql
-- Begins the removal of a studio in the name of an owner, and records it in the audit log, which
-- stays. After the commit, the API, GraphQL and the console show nothing of the studio, and nobody
-- can restore it. The caller then drops its analysts' logins, and access.remove_rows() does the
-- rest. A second call changes nothing, even at the same time. Raises 42501 for anybody but an
-- owner.
create or replace function access.begin_removal(studio_id uuid, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- access.may_manage() has taken the lock. So a session that waited for it sees the other's
  -- removal.
  perform from access.members m
  where m.studio_id = begin_removal.studio_id and m.role = 'owner' order by m.user_id for no key update;
  if exists (select from app.studios s where s.id = begin_removal.studio_id and s.removed_at is not null) then
    return;
  end if;
  perform access.may_manage(begin_removal.studio_id, begin_removal.done_by, true);
  update access.subscriptions s set archived_at = coalesce(s.archived_at, pg_catalog.now())
  where s.studio_id = begin_removal.studio_id;
  update app.studios s set removed_at = pg_catalog.now() where s.id = begin_removal.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id)
  values (begin_removal.studio_id, 'studio.removed', begin_removal.done_by);
end
$$;

comment on function access.begin_removal(uuid, uuid) is 'Begins the removal of a studio in the name of an owner.';
--! EndIncluded access/functions/begin_removal.sql
--! Included access/functions/remove_rows.sql
-- Removes rows of a studio whose removal has begun, about as many as at_most in a transaction;
-- returns their number: call it until it returns 0, when the studio itself is gone. The studio's
-- audit log and the log of its analysts stay; of its people access.forget_people() keeps what other
-- studios need. Raises SI404 before access.begin_removal(), SI409 as long as a login of an analyst
-- is left.
create or replace function access.remove_rows(studio_id uuid, at_most integer default 1000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  part text;
  removed bigint;
  people uuid[];
begin
  perform from app.studios s where s.id = studio_id and s.removed_at is not null for no key update;
  if not found then
    if exists (select from app.studios s where s.id = studio_id) then
      raise exception 'the removal of the studio has not begun' using errcode = 'SI404';
    end if;
    return 0;
  end if;
  if exists (select from access.analyst_logins l where l.studio_id = studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
  perform access.enter_studio(studio_id);
  foreach part in array array['access.console_uploads', 'access.import_choices', 'app.closed_values', 'app.closings',
    'app.market_value_history', 'app.maintenance_records', 'app.policy_assignments', 'app.depreciation_changes',
    'app.items', 'app.policies', 'app.locations',
    'app.removals', 'access.analyst_statements', 'access.request_activity', 'access.tokens', 'app.item_counts',
    'app.maintenance_counts', 'app.count_changes']
  loop
    execute pg_catalog.format(
      'delete from %1$s t where t.studio_id = $1 and t.ctid = any (array(
         select d.ctid from %1$s d where d.studio_id = $1 limit $2))', part)
    using studio_id, at_most;
    get diagnostics removed = row_count;
    exit when removed > 0;
  end loop;

  if removed = 0 then
    delete from app.data_versions d where d.studio_id = studio_id;
    with former as (delete from access.members m where m.studio_id = studio_id returning m.user_id)
    select pg_catalog.array_agg(f.user_id) into people from former f;
    delete from access.subscriptions s where s.studio_id = studio_id;
    delete from app.studios s where s.id = studio_id;
    removed := 1;
    perform access.forget_people(studio_id, people);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return removed;
end
$$;

comment on function access.remove_rows(uuid, integer) is 'Removes rows of a studio whose removal has begun.';
--! EndIncluded access/functions/remove_rows.sql
--! Included access/functions/set_public_api.sql
-- Turns the public API on or off for a studio. While it is off, the service issues and accepts no
-- tokens, and the console has no page for them. Raises SI404 for a studio without a subscription.
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
-- Sets the financial year by which a studio's items depreciate. Values the items again and returns
-- how many show a new value. It waits for writers of the studio's items, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for another month, and what
-- access.may_manage() raises.
--   start_month  its first month, 1 to 12; null: each item has its own years
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_financial_year(studio_id uuid, start_month integer, done_by uuid default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  depreciating uuid[];
  moved integer;
  former integer;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  if start_month not between 1 and 12 then
    raise exception '% is no month', start_month using errcode = '22023', hint = 'Use 1 for January to 12 for December.';
  end if;
  perform access.may_manage(set_financial_year.studio_id, person, false);
  -- The strongest row lock: it waits for transactions that insert items, which hold a weaker lock
  -- on the studio.
  select s.financial_year_start_month into former from app.studios s where s.id = set_financial_year.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  update app.studios s set financial_year_start_month = start_month
  where s.id = set_financial_year.studio_id and s.financial_year_start_month is distinct from start_month;
  if not found then
    return 0;
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_financial_year.studio_id, 'studio.financial_year_changed', person,
    pg_catalog.format('%s → %s', coalesce(former::text, 'none'), coalesce(start_month::text, 'none')));

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

comment on function access.set_financial_year(uuid, integer, uuid) is
  'Names the first month of a studio''s financial year, null for none; returns how many items show a new value.';
--! EndIncluded access/functions/set_financial_year.sql
--! Included access/functions/set_first_period.sql
-- Sets how the first period of depreciation counts in a studio. Values the items again and returns
-- how many show a new value. It waits for writers of the studio's items, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for another word, and what
-- access.may_manage() raises.
--   convention  full_month, half_year, mid_month or day (valuation.plan_of())
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_first_period(studio_id uuid, convention text, done_by uuid default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  depreciating uuid[];
  moved integer;
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  if convention is null or convention not in ('full_month', 'half_year', 'mid_month', 'day') then
    raise exception '% is no convention', pg_catalog.quote_nullable(convention) using errcode = '22023',
      hint = 'Use full_month, half_year, mid_month or day.';
  end if;
  perform access.may_manage(set_first_period.studio_id, person, false);
  -- The strongest row lock: it waits for transactions that insert items, which hold a weaker lock
  -- on the studio.
  select s.first_period into former from app.studios s where s.id = set_first_period.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  update app.studios s set first_period = convention
  where s.id = set_first_period.studio_id and s.first_period <> convention;
  if not found then
    return 0;
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_first_period.studio_id, 'studio.first_period_changed', person, former || ' → ' || convention);

  perform access.enter_studio(set_first_period.studio_id);
  select pg_catalog.array_agg(i.id) into depreciating
  from app.items i
  where i.studio_id = set_first_period.studio_id
    and i.depreciation_method <> 'none' and i.acquisition_date is not null;
  moved := valuation.revalue(depreciating);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return moved;
end
$$;

comment on function access.set_first_period(uuid, text, uuid) is
  'Chooses how the first period of depreciation counts in a studio; returns how many items show a new value.';
--! EndIncluded access/functions/set_first_period.sql
--! Included access/functions/terms_in_words.sql
-- Writes a category's terms for the audit log, such as "40 %, switches to straight line".
create or replace function access.terms_in_words(rate numeric, switches text) returns text
language sql immutable security invoker
return coalesce(pg_catalog.trim_scale(rate) || ' %', 'by useful life') ||
  case switches when 'yes' then ', switches to straight line' when 'floor' then ', never less than straight line' else '' end;

comment on function access.terms_in_words(numeric, text) is 'The terms of a category in the words of the audit log.';
--! EndIncluded access/functions/terms_in_words.sql
--! Included access/functions/set_category_terms.sql
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
--! EndIncluded access/functions/set_category_terms.sql
--! Included access/functions/withdrawable_market_values.sql
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
--! EndIncluded access/functions/withdrawable_market_values.sql
--! Included access/functions/withdraw_market_values.sql
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
--! EndIncluded access/functions/withdraw_market_values.sql
--! Included access/functions/finer_amounts.sql
-- How many amounts of a studio have more decimals than a currency has; null for a code that ISO
-- 4217 does not have.
create or replace function access.finer_amounts(studio_id uuid, currency text) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  places integer := app.minor_units(currency);
  found bigint;
begin
  perform access.enter_studio(finer_amounts.studio_id);
  select count(*) filter (where a.amount <> round(a.amount, places)) into found
  from (
    select pg_catalog.unnest(array[i.purchase_price, i.residual_value, i.manual_value, i.replacement_cost, i.reported_insured_value,
      i.disposal_proceeds]::numeric[]) from app.items i where i.studio_id = finer_amounts.studio_id
    union all select m.value from app.market_values m where m.studio_id = finer_amounts.studio_id
    union all select c.residual_value from app.depreciation_changes c where c.studio_id = finer_amounts.studio_id
    union all select m.cost from app.maintenance_records m where m.studio_id = finer_amounts.studio_id
    union all select pg_catalog.unnest(array[p.overall_limit, p.deductible]::numeric[])
      from app.policies p where p.studio_id = finer_amounts.studio_id
    union all select a.declared_value from app.policy_assignments a where a.studio_id = finer_amounts.studio_id
  ) as a (amount);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return case when places is not null then found end;
end
$$;

comment on function access.finer_amounts(uuid, text) is 'How many amounts of a studio have more decimals than a currency has.';
--! EndIncluded access/functions/finer_amounts.sql
--! Included access/functions/set_currency.sql
-- Corrects the currency of a studio. Amounts keep their numbers: nothing is converted
-- (app.change_currency()). It waits for writers of the studio's records, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for a code that is not in ISO 4217 or while
-- an amount has more decimals than the currency, and what access.may_manage() raises.
--   currency  its ISO 4217 code, three capital letters
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_currency(studio_id uuid, currency text, done_by uuid default null) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  finer bigint;
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  perform access.may_manage(set_currency.studio_id, person, false);
  -- The strongest row lock: transactions that insert records hold a weaker one on the studio.
  select s.currency into former from app.studios s where s.id = set_currency.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  finer := access.finer_amounts(set_currency.studio_id, set_currency.currency);
  if finer > 0 then
    raise exception '% more decimals than % has: %', case finer when 1 then '1 amount has' else finer || ' amounts have' end,
      set_currency.currency, app.minor_units(set_currency.currency)
      using errcode = '22023', hint = 'Import them rounded first: studio export writes them.';
  end if;
  if former = set_currency.currency then
    return;
  end if;
  update app.studios s set currency = set_currency.currency where s.id = set_currency.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_currency.studio_id, 'studio.currency_changed', person, former || ' → ' || set_currency.currency);
end
$$;

comment on function access.set_currency(uuid, text, uuid) is 'Corrects the currency of a studio; its amounts stay the same numbers.';
--! EndIncluded access/functions/set_currency.sql
--! Included access/functions/find_studio.sql
-- The id of the studio with this id or name (any case). Raises SI404 for none, SI409 for several.
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
-- The id of the user with this e-mail. Raises SI404 when there is none. Only ASCII letters match in
-- any case (collate "C"), as everywhere: a locale may turn other letters into ASCII, and they would
-- then name somebody else.
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
-- Issues a token. The caller makes the secret and hands over digests alone, so that the secret
-- never reaches the server: sha256 of 'svc_pro_<secret>' and of 'svc_studio_<secret>'; the plan at
-- this moment picks the one that counts.
--   issued_by       must be an owner or admin of the studio now
--   scope_user_id   null, or a current member; its row stays locked until the end of the
--                   transaction
--   expires_at      from when on the token is refused; null: never
--   addresses       the networks that its requests may come from, 1 to 50; null: any
--   secret_prefix   the first four characters of the secret, for display
-- Raises 22023 (name, addresses), 22008 (expires_at), 42501 (issuer), SI402 (plan), SI404 (scope
-- target). Writes the audit log in the same transaction.
-- spec: "Issuer is an owner or admin on a plan that allows creation; scope target, if given, is a
-- current studio member".
create or replace function access.issue_token(
  studio_id uuid, issued_by uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea,
  expires_at timestamptz default null, addresses cidr[] default null
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
  if not access.is_plain(issue_token.name) then
    raise exception 'the name of a token is one line, without marks of direction' using errcode = '22023';
  end if;

  if issue_token.expires_at <= access.clock() then
    raise exception 'the end of a token must be in the future' using errcode = '22008';
  end if;
  if pg_catalog.cardinality(issue_token.addresses) not between 1 and 50
    or pg_catalog.array_position(issue_token.addresses, null) is not null
  then
    raise exception 'a token can be limited to 1 to 50 addresses' using errcode = '22023';
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

  insert into access.tokens as t (studio_id, name, tier, prefix, digest, issued_by, scope_user_id, expires_at, addresses)
  select
    issue_token.studio_id, issue_token.name, chosen.tier, 'svc_' || chosen.tier || '_' || secret_prefix,
    chosen.digest, issue_token.issued_by, issue_token.scope_user_id, issue_token.expires_at, issue_token.addresses
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

comment on function access.issue_token(uuid, uuid, text, uuid, text, bytea, bytea, timestamptz, cidr[]) is
  'Issues a token for a studio and records it in the audit log; only digests of the secret are handed over.';
--! EndIncluded access/functions/issue_token.sql
--! Included access/functions/revoke_token.sql
-- Revokes a token and records it in the audit log; revoking again succeeds and returns the same
-- record. Raises 42501 unless revoked_by is an owner or admin of the studio now, SI404 for an
-- unknown token.
-- spec: "Revoke again … Succeeds and returns the existing revoked record (idempotent)."
create or replace function access.revoke_token(studio_id uuid, token_id uuid, revoked_by uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  token access.tokens;
begin
  perform from access.members m
  where m.studio_id = revoke_token.studio_id and m.user_id = revoke_token.revoked_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can revoke a token' using errcode = '42501';
  end if;

  select t.* into token from access.tokens t
  where t.studio_id = revoke_token.studio_id and t.id = revoke_token.token_id
  for no key update;
  if not found then
    raise exception 'the studio has no such token' using errcode = 'SI404';
  end if;

  if token.revoked_at is null then
    update access.tokens t set revoked_at = pg_catalog.clock_timestamp(), revoked_by = revoke_token.revoked_by
    where t.studio_id = token.studio_id and t.id = token.id
    returning t.* into token;
    insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
    values (token.studio_id, 'token.revoked', token.revoked_by, token.id, token.name, token.prefix, token.scope_user_id);
  end if;

  return query select token.id, token.name, token.prefix, token.revoked_at::timestamptz;
end
$$;

comment on function access.revoke_token(uuid, uuid, uuid) is
  'Revokes a token at once and records it in the audit log; idempotent.';
--! EndIncluded access/functions/revoke_token.sql
--! Included access/functions/dismiss_member.sql
-- Removes a member from a studio in the name of an owner or admin (perhaps that member), and
-- records it in the audit log. Revokes the tokens that act as the member, except those that another
-- member can act for, so that they stay refused if the person or the issuer comes back. Tokens of
-- other issuers then act as their issuers (by the foreign key of access.tokens); the member's
-- analysts' logins end. Returns the number of revoked tokens.
-- Raises SI404 (no such member), SI409 (the last owner), and what access.may_manage() raises.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its
-- issuer".
create or replace function access.dismiss_member(studio_id uuid, user_id uuid, done_by uuid) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
  token uuid;
  revoked integer := 0;
begin
  perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, false);
  select m.role into former from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id
  for update;
  if former is null then
    raise exception 'the studio has no such member' using errcode = 'SI404';
  elsif former = 'owner' then
    perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, true);
    perform access.keep_an_owner(dismiss_member.studio_id, dismiss_member.user_id);
  end if;

  for token in
    select t.id from access.tokens t
    where t.studio_id = dismiss_member.studio_id and t.revoked_at is null
      and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id
      and not exists (
        select from access.members m
        where m.studio_id = t.studio_id and m.user_id = t.issued_by and m.user_id <> dismiss_member.user_id)
      and (t.expires_at is null or t.expires_at > access.clock())
    order by t.id
  loop
    perform access.revoke_token(dismiss_member.studio_id, token, dismiss_member.done_by);
    revoked := revoked + 1;
  end loop;
  delete from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id;
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (dismiss_member.studio_id, 'member.removed', dismiss_member.done_by, dismiss_member.user_id, former);
  return revoked;
end
$$;

comment on function access.dismiss_member(uuid, uuid, uuid) is
  'Removes a member from a studio in the name of an owner or admin, and revokes the tokens that act as that member.';
--! EndIncluded access/functions/dismiss_member.sql
--! Included access/functions/display_name.sql
-- The name that a studio shows for a person: the name that this studio typed, else the e-mail. A
-- former member shows the e-mail. Null for null.
--   membership  of the person in this studio; null: none
-- A studio must neither learn nor change what another studio typed.
create or replace function access.display_name(person access.users, membership access.members) returns text
language sql immutable security invoker
return coalesce(nullif(membership.name, ''), person.email);

comment on function access.display_name(access.users, access.members) is
  'How a studio names a person: by the name that it typed, or by e-mail when there is none.';
--! EndIncluded access/functions/display_name.sql
--! Included access/functions/list_members.sql
-- The members of a studio by name, with what their removal does.
--   own_tokens      working tokens that it revokes: those that act as the member and have no other
--                   member to act as afterwards
--   scoped_tokens   working tokens that act as the member, and as their issuers, who are other
--                   members, afterwards
--   analyst_logins  logins of analysts that end with it
create or replace function access.list_members(studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    u.id, access.display_name(u, m), u.email, m.role, m.created_at::timestamptz,
    tokens.own, tokens.scoped,
    (select pg_catalog.count(*) from access.analyst_logins l where l.studio_id = m.studio_id and l.user_id = m.user_id)
  from access.members m
  join access.users u on u.id = m.user_id
  cross join lateral (
    select
      pg_catalog.count(*) filter (where issuer.user_id is null) as own,
      pg_catalog.count(*) filter (where issuer.user_id is not null) as scoped
    from access.tokens t
    left join access.members issuer
      on issuer.studio_id = t.studio_id and issuer.user_id = t.issued_by and issuer.user_id <> m.user_id
    where t.studio_id = m.studio_id and coalesce(t.scope_user_id, t.issued_by) = m.user_id and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > access.clock())) as tokens
  where m.studio_id = list_members.studio_id
  order by pg_catalog.lower(access.display_name(u, m)), u.email;
end;

comment on function access.list_members(uuid) is 'The members of a studio by name, with what their removal does.';
--! EndIncluded access/functions/list_members.sql
--! Included access/functions/address_texts.sql
-- Networks as people write them: without the length for a single address. Null for null.
create or replace function access.address_texts(addresses cidr[]) returns text[]
language sql immutable security invoker
return (
  select pg_catalog.array_agg(
    case when pg_catalog.masklen(a) = case pg_catalog.family(a) when 4 then 32 else 128 end
      then pg_catalog.host(a) else a::text end order by place)
  from unnest(addresses) with ordinality as listed (a, place));

comment on function access.address_texts(cidr[]) is 'Networks as people write them.';
--! EndIncluded access/functions/address_texts.sql
--! Included access/functions/end_of_day.sql
-- The first moment after a day on a studio's calendar. Null for null.
create or replace function access.end_of_day(studio_id uuid, day date) returns timestamptz
language sql stable security definer
set search_path = ''
return (select access.first_moment(day + 1, s.timezone) from app.studios s where s.id = end_of_day.studio_id);

comment on function access.end_of_day(uuid, date) is 'The first moment after a day on a studio''s calendar.';
--! EndIncluded access/functions/end_of_day.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it
--                      acts as its issuer
--   addresses          as they are written: an address without the length of its network
--   refused_for_issuer whether the API refuses it because the person it acts as has left
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, issued_by_name text, scope_email text, scope_name text,
  former_scope_name text, refused_for_issuer boolean,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  expires_at timestamptz, expired boolean, addresses text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer, issuing), scoped.email,
    access.display_name(scoped, scoping), access.display_name(former, returned),
    t.revoked_at is null and t.scope_user_id is null and issuing.user_id is null,
    t.created_at, t.last_used_at, t.revoked_at,
    t.expires_at, coalesce(t.expires_at <= access.clock(), false), access.address_texts(t.addresses)
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.members issuing on issuing.studio_id = t.studio_id and issuing.user_id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  left join access.members scoping on scoping.studio_id = t.studio_id and scoping.user_id = t.scope_user_id
  left join access.audit_log issuance
    on issuance.studio_id = t.studio_id and issuance.token_id = t.id and issuance.event = 'token.issued'
    and t.scope_user_id is null
  left join access.users former on former.id = issuance.scope_user_id
  left join access.members returned on returned.studio_id = t.studio_id and returned.user_id = issuance.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
--! EndIncluded access/functions/list_tokens.sql
--! Included access/functions/token_activity.sql
-- The last 100 requests of a token, newest first. status 401: sent from an address that the token
-- does not accept.
--   token_id    null: all tokens of the studio
--   request_id  only the request with this X-Request-Id; null: all
-- details, null after 90 days: {"query": parameters with values, "ignored": names of unknown
-- parameters, "address", "agent": User-Agent, "bytes": of the body, "cached": answered from the
-- cache}. query and agent are truncated and never contain the token.
-- spec: "an Activity view of the last 100 requests with timestamp, endpoint, HTTP status and
-- response time".
create or replace function access.token_activity(studio_id uuid, token_id uuid, request_id uuid default null)
returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real, token uuid, request uuid, details jsonb
)
language sql stable security definer
set search_path = ''
begin atomic
  select a.at, a.endpoint, a.status, a.duration_ms, a.token_id, a.request_id, a.details
  from access.request_activity a
  where a.studio_id = token_activity.studio_id
    and (token_activity.token_id is null or a.token_id = token_activity.token_id)
    and (token_activity.request_id is null or a.request_id = token_activity.request_id)
  order by a.at desc, a.id desc
  limit 100;
end;

comment on function access.token_activity(uuid, uuid, uuid) is
  'The last 100 requests of a token, newest first, or the request with an id.';
--! EndIncluded access/functions/token_activity.sql
--! Included access/functions/record_activity.sql
-- Records a batch of requests (parallel arrays, one element a request) and moves each token's last
-- use, unless its address was refused (401). Keeps the newest 100 requests of each token. Drops
-- requests of deleted tokens.
--   details  see access.token_activity()
-- spec: "Activity history per token: last 100 requests".
create or replace function access.record_activity(
  token_ids uuid[], ats timestamptz[], endpoints text[], statuses smallint[], durations_ms real[], request_ids uuid[],
  details jsonb[]
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Writes the tokens in the order of their ids, so that two instances cannot deadlock.
  perform from access.tokens t where t.id = any (token_ids) order by t.id for no key update;

  insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, request_id, details)
  select t.studio_id, t.id, r.at, r.endpoint, r.status, r.duration_ms, r.request_id, r.details
  from unnest(token_ids, ats, endpoints, statuses, durations_ms, request_ids, details)
    as r (token_id, at, endpoint, status, duration_ms, request_id, details)
  join access.tokens t on t.id = r.token_id
  order by r.at;

  update access.tokens t set last_used_at = used.at
  from (
    select r.token_id, max(r.at) as at from unnest(token_ids, ats, statuses) as r (token_id, at, status)
    where r.status <> 401 group by r.token_id
  ) as used
  where t.id = used.token_id and (t.last_used_at is null or t.last_used_at < used.at);

  -- Materialized, so that PostgreSQL finds the hundredth request once and not for each older one.
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

comment on function access.record_activity(uuid[], timestamptz[], text[], smallint[], real[], uuid[], jsonb[]) is
  'Records a batch of requests, moves the tokens'' last use and keeps the newest 100 requests of each.';
--! EndIncluded access/functions/record_activity.sql

-- What the console's pages may ask
--! Included console/functions/signed_in.sql
-- The user of a console session, by the sha256 digest of its secret, which stays in the browser.
-- Raises SI401 for an unknown or expired session.
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
--! Included access/functions/open_member_session.sql
-- Opens a studio's session for the rest of the transaction, for the pages on which its members look
-- at it. It checks at this moment that the console session is open and that its user is a member,
-- whatever the plan and whether or not the public API is on.
--   session_digest  sha256 of the console session's secret
-- Status 200 with the studio and its version (access.studio_versions), as access.open_session() has them.
-- Raises SI401 without a session, and the same SI404 for a studio that is unknown, archived,
-- being removed, or not the user's.
-- spec: "A caller never sees another studio's data."
create or replace function access.open_member_session(session_digest bytea, studio_id uuid) returns access.operation_row
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  answer access.operation_row;
  person uuid := console.signed_in(session_digest);
begin
  perform from access.members m
  join app.studios studio on studio.id = m.studio_id and studio.removed_at is null
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = open_member_session.studio_id and m.user_id = person and s.archived_at is null;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  perform pg_catalog.set_config('studio.id', open_member_session.studio_id::text, true);
  answer.status := 200;
  answer.studio_id := open_member_session.studio_id;
  select v.version into answer.version from access.studio_versions v where v.studio_id = answer.studio_id;
  return answer;
end
$$;

comment on function access.open_member_session(bytea, uuid) is
  'Opens a studio''s session for a member who is signed in to the console: status 200, the studio and its version.';
--! EndIncluded access/functions/open_member_session.sql
--! Included console/functions/membership.sql
-- The membership by which a session's user sees a studio's tokens, read now. Raises SI401 without a
-- session, and the same SI404 for a studio that is unknown, archived, without the public API, or
-- not the user's.
-- spec: "API tokens settings, a tab shown only when the public API feature is enabled"; "members
-- get a read-only view".
create or replace function console.membership(session_digest bytea, studio_id uuid) returns access.members
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  member access.members;
begin
  select m.* into member from access.members m
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api and s.archived_at is null
  where m.studio_id = membership.studio_id and m.user_id = person;
  if member.user_id is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  return member;
end
$$;

comment on function console.membership(bytea, uuid) is
  'The membership by which a session''s user may see a studio''s tokens.';
--! EndIncluded console/functions/membership.sql
--! Included console/functions/administrator.sql
-- The session's user, who must be an owner or admin of the studio now, whether or not its public
-- API is on. For pages that are not about tokens.
-- Raises SI401 without a session, SI404 when the user is not a member or the studio is archived or
-- being removed, 42501 for a member.
create or replace function console.administrator(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.signed_in(session_digest);
  role text;
begin
  select m.role into role from access.members m
  join app.studios studio on studio.id = m.studio_id and studio.removed_at is null
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = administrator.studio_id and m.user_id = person and s.archived_at is null;
  if role is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.administrator(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/administrator.sql
--! Included console/functions/use_once.sql
-- Records the use of something sealed; false if it was used before. Keeps the record until the
-- sealed thing expires.
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
--! Included console/functions/keep_upload.sql
-- Stores a file that the session's user may import within an hour; access.purge_uploads() deletes
-- it later. Replaces the user's last file for this studio. Imports nothing.
--   content  the file, at most 10 MiB
--   choices  what the user chose in the form: the kind of file, its name, columns, formats
--   digest   sha256 of content and choices, by which the preview and its confirmation name them
-- Raises what console.administrator raises.
create or replace function console.keep_upload(
  session_digest bytea, studio_id uuid, content bytea, choices jsonb, digest bytea
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  insert into access.console_uploads as u (studio_id, user_id, content, choices, digest, expires_at)
  values (keep_upload.studio_id, person, keep_upload.content, keep_upload.choices, keep_upload.digest,
    pg_catalog.now() + interval '1 hour')
  on conflict on constraint console_uploads_pkey do update
  set content = excluded.content, choices = excluded.choices, digest = excluded.digest, expires_at = excluded.expires_at;
end
$$;

comment on function console.keep_upload(bytea, uuid, bytea, jsonb, bytea) is
  'Stores the file that the session''s user is about to import, for an hour.';
--! EndIncluded console/functions/keep_upload.sql
--! Included console/functions/read_upload.sql
-- The file that the session's user is about to import, if it has this digest and is less than an
-- hour old; otherwise no row.
-- Raises what console.administrator raises.
create or replace function console.read_upload(session_digest bytea, studio_id uuid, digest bytea)
returns table (content bytea, choices jsonb)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return query
    select u.content, u.choices from access.console_uploads u
    where u.studio_id = read_upload.studio_id and u.user_id = person and u.digest = read_upload.digest
      and u.expires_at > pg_catalog.now();
end
$$;

comment on function console.read_upload(bytea, uuid, bytea) is 'The file that the session''s user is about to import.';
--! EndIncluded console/functions/read_upload.sql
--! Included access/functions/record_import.sql
-- Ends an import from the console, in its transaction: checks again that the person may import,
-- uses up the confirmed file, so that it is imported once, and writes the studio's audit log. An
-- error undoes the import.
--   digest   that of the file and its choices, see console.keep_upload()
--   summary  what was imported: kind, file, sha256, added, changed
--   header   sha256 of the names of the file's columns; null for photos. How the file was read is kept
--            for the next one with this header (access.remembered_choices), of the last 20 headers
-- Raises what console.administrator raises, and SI409 when the file was imported, replaced or has
-- expired meanwhile.
create or replace function access.record_import(
  session_digest bytea, digest bytea, summary jsonb, header bytea default null
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  person uuid := console.administrator(session_digest, studio);
  chosen jsonb;
begin
  perform from access.members m where m.studio_id = studio and m.user_id = person and m.role in ('owner', 'admin') for key share;
  if not found then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  delete from access.console_uploads u
  where u.studio_id = studio and u.user_id = person and u.digest = record_import.digest and u.expires_at > pg_catalog.now()
  returning u.choices into chosen;
  if not found then
    raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, import) values (studio, 'import', person, summary);
  if header is not null then
    insert into access.import_choices as c (studio_id, kind, header, choices, chosen_at)
    values (studio, summary ->> 'kind', record_import.header, chosen, pg_catalog.now())
    on conflict on constraint import_choices_pkey do update set choices = excluded.choices, chosen_at = excluded.chosen_at;
    delete from access.import_choices c
    where c.studio_id = studio and (c.kind, c.header) not in (
      select last.kind, last.header from access.import_choices last
      where last.studio_id = studio order by last.chosen_at desc limit 20);
  end if;
end
$$;

comment on function access.record_import(bytea, bytea, jsonb, bytea) is
  'Records an import from the console in the audit log, in its transaction, and uses up the file.';
--! EndIncluded access/functions/record_import.sql
--! Included access/functions/remembered_choices.sql
-- How people of the session's studio last read a file of this kind with this header; null if they
-- never did. The choices are those of console.keep_upload().
create or replace function access.remembered_choices(kind text, header bytea) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select c.choices from access.import_choices c
  where c.studio_id = (select access.current_studio_id())
    and c.kind = remembered_choices.kind and c.header = remembered_choices.header
$$;

comment on function access.remembered_choices(text, bytea) is
  'How the studio''s people last read a file of this kind with this header.';
--! EndIncluded access/functions/remembered_choices.sql
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
-- Ends a console session, so that its secret is useless. An unknown session changes nothing.
create or replace function console.sign_out(session_digest bytea) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.console_sessions s where s.digest = sign_out.session_digest;
end;

comment on function console.sign_out(bytea) is 'Ends a console session.';
--! EndIncluded console/functions/sign_out.sql
--! Included console/functions/list_studios.sql
-- The studios of which a session's user is a member now, by name, with what the pages about them
-- need. Leaves out studios that are archived or being removed.
--   public_api   whether the studio has API tokens at all
--   may_manage   whether the user is an owner or admin
--   plan         the plan by which tokens can be created now; null when there is none
--   currency     the currency of the studio's amounts
--   timezone     the time zone of the studio's calendar, an IANA name
--   user_name    how this studio names the user
-- Returns no row without a session, so that an unknown cookie costs no failed statement.
create or replace function console.list_studios(session_digest bytea) returns table (
  studio_id uuid, name text, role text, public_api boolean, may_manage boolean, plan text, currency text,
  timezone text, user_id uuid, user_name text, user_email text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      studio.id, studio.name, m.role, coalesce(s.public_api, false), m.role in ('owner', 'admin'), access.api_plan(s),
      studio.currency, studio.timezone, u.id, access.display_name(u, m), u.email
    from access.console_sessions session
    join access.users u on u.id = session.user_id
    left join (
      access.members m
      join app.studios studio on studio.id = m.studio_id
      left join access.subscriptions s on s.studio_id = m.studio_id
    ) on m.user_id = u.id and s.archived_at is null and studio.removed_at is null
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
  refused_for_issuer boolean, created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  expires_at timestamptz, expired boolean, addresses text[]
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, list_tokens.studio_id);
  return query
    select t.token_id, t.name, t.prefix, t.issued_by_name, t.scope_name, t.former_scope_name, t.refused_for_issuer,
      t.created_at, t.last_used_at, t.revoked_at, t.expires_at, t.expired, t.addresses
    from access.list_tokens(list_tokens.studio_id) t;
end
$$;

comment on function console.list_tokens(bytea, uuid) is 'The tokens of a studio as its members see them.';
--! EndIncluded console/functions/list_tokens.sql
--! Included console/functions/list_members.sql
-- A studio's members by name, with what their removal does, for owners and admins; see
-- access.list_members.
-- Raises what console.administrator raises.
create or replace function console.list_members(session_digest bytea, studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, list_members.studio_id);
  return query select m.* from access.list_members(list_members.studio_id) m;
end
$$;

comment on function console.list_members(bytea, uuid) is 'The current members of a studio, for its owners and admins.';
--! EndIncluded console/functions/list_members.sql
--! Included console/functions/read_plan.sql
-- The plan of a studio at this moment, for its owners and admins, whether or not its public API is
-- on. Returns one row even for a studio without a plan. Then everything but public_api and
-- includes_api is null.
--   period_start, period_end  of the period at this moment; see access.current_period
--   renews                    month or year; null: the period is what was set
--   public_api                whether the public API is on for the studio
--   includes_api              whether the plan includes the API now; requests are served when both
--                             are true
-- Raises what console.administrator raises.
create or replace function console.read_plan(session_digest bytea, studio_id uuid) returns table (
  plan text, status text, trial_ends_at timestamptz, period_start timestamptz, period_end timestamptz, renews text,
  public_api boolean, includes_api boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, read_plan.studio_id);
  return query
    select s.plan, s.status, s.trial_ends_at, p.period_start, p.period_end, s.renews,
      coalesce(s.public_api, false), access.entitled_plan(s) is not null
    from app.studios studio
    left join access.subscriptions s on s.studio_id = studio.id
    left join lateral access.current_period(s, studio.timezone) as p on true
    where studio.id = read_plan.studio_id;
end
$$;

comment on function console.read_plan(bytea, uuid) is 'The plan of a studio, for its owners and admins.';
--! EndIncluded console/functions/read_plan.sql
--! Included console/functions/admit_member.sql
-- Makes somebody a member of a studio in the name of the session's user. See access.admit_member().
-- Raises what console.administrator and access.admit_member raise.
create or replace function console.admit_member(session_digest bytea, studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return access.admit_member(studio_id, email, name, role, person);
end
$$;

comment on function console.admit_member(bytea, uuid, text, text, text) is
  'Makes somebody a member of a studio in the name of the session''s user.';
--! EndIncluded console/functions/admit_member.sql
--! Included console/functions/change_role.sql
-- Gives a member another role in the name of the session's user. See access.change_role().
-- Raises what console.administrator and access.change_role raise.
create or replace function console.change_role(session_digest bytea, studio_id uuid, user_id uuid, role text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  perform access.change_role(studio_id, user_id, role, person);
end
$$;

comment on function console.change_role(bytea, uuid, uuid, text) is
  'Gives a member another role in the name of the session''s user.';
--! EndIncluded console/functions/change_role.sql
--! Included console/functions/dismiss_member.sql
-- Removes a member from a studio in the name of the session's user. See access.dismiss_member().
-- Raises what console.administrator and access.dismiss_member raise.
create or replace function console.dismiss_member(session_digest bytea, studio_id uuid, user_id uuid) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return access.dismiss_member(studio_id, user_id, person);
end
$$;

comment on function console.dismiss_member(bytea, uuid, uuid) is
  'Removes a member from a studio in the name of the session''s user.';
--! EndIncluded console/functions/dismiss_member.sql
--! Included console/functions/token_activity.sql
-- access.token_activity() for members of the studio. Raises what console.membership() raises.
create or replace function console.token_activity(
  session_digest bytea, studio_id uuid, token_id uuid, request_id uuid default null
) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real, token uuid, request uuid, details jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, token_activity.studio_id);
  return query select a.*
    from access.token_activity(token_activity.studio_id, token_activity.token_id, token_activity.request_id) a;
end
$$;

comment on function console.token_activity(bytea, uuid, uuid, uuid) is
  'The last 100 requests of a token, or the request with an id.';
--! EndIncluded console/functions/token_activity.sql
--! Included console/functions/issue_token.sql
-- Issues a token for a studio in the name of the session's user; see access.issue_token, which
-- checks role, plan and scope.
--   last_day  the last day, on the studio's calendar, on which the token works; null: every day
-- Raises what console.membership and access.issue_token raise.
create or replace function console.issue_token(
  session_digest bytea, studio_id uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea, last_day date default null, addresses cidr[] default null
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := (console.membership(session_digest, studio_id)).user_id;
begin
  return query select t.* from access.issue_token(
    issue_token.studio_id, person, issue_token.name, issue_token.scope_user_id,
    issue_token.secret_prefix, issue_token.pro_digest, issue_token.studio_digest,
    access.end_of_day(issue_token.studio_id, issue_token.last_day), issue_token.addresses) t;
end
$$;

comment on function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea, date, cidr[]) is
  'Issues a token for a studio in the name of the session''s user.';
--! EndIncluded console/functions/issue_token.sql
--! Included console/functions/revoke_token.sql
-- Revokes a token in the name of the session's user; idempotent, see access.revoke_token.
-- Raises what console.membership and access.revoke_token raise.
create or replace function console.revoke_token(session_digest bytea, studio_id uuid, token_id uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := (console.membership(session_digest, studio_id)).user_id;
begin
  return query select t.* from access.revoke_token(revoke_token.studio_id, revoke_token.token_id, person) t;
end
$$;

comment on function console.revoke_token(bytea, uuid, uuid) is
  'Revokes a token in the name of the session''s user.';
--! EndIncluded console/functions/revoke_token.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins. An entry about
-- an import has null in the token's columns, and its summary in import.
--   before  the id of the previous page's last entry; null for the newest
-- Raises what console.administrator raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid, before bigint default null)
returns table (
  id bigint, at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text,
  scope_name text, member_name text, detail text, import jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, list_audit_log.studio_id);
  return query
    select l.id, l.at::timestamptz, l.event, access.display_name(actor, acting), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped, scoping), access.display_name(subject, concerned), l.detail, l.import
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.members acting on acting.studio_id = l.studio_id and acting.user_id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    left join access.members scoping on scoping.studio_id = l.studio_id and scoping.user_id = l.scope_user_id
    left join access.users subject on subject.id = l.member_user_id
    left join access.members concerned on concerned.studio_id = l.studio_id and concerned.user_id = l.member_user_id
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
-- Trigger: records every change of a login's studio, by a command, an administrator, or a member
-- who leaves.
create or replace function access.log_analyst() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or (old.login, old.studio_id) is distinct from (new.login, new.studio_id)) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (old.login, 'unmapped', old.studio_id, old.user_id, session_user);
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT'
    or (old.login, old.studio_id, old.user_id) is distinct from (new.login, new.studio_id, new.user_id)) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (new.login, 'mapped', new.studio_id, new.user_id, session_user);
  end if;
  return null;
end
$$;

comment on function access.log_analyst() is 'Trigger: keeps every change of an analyst''s mapping in access.analyst_log.';
--! EndIncluded access/functions/log_analyst.sql
--! Included access/triggers/analyst_logins.sql
-- Keeps for ever which login was mapped to which studio, and when: a statement in the server's log
-- can be attributed even after the login is dropped.
create or replace trigger log after insert or update or delete on access.analyst_logins
  for each row execute function access.log_analyst();
create or replace trigger append_only before update or delete on access.analyst_log
  for each row execute function access.refuse_change();
create or replace trigger append_only_truncate before truncate on access.analyst_log
  for each statement execute function access.refuse_change();
--! EndIncluded access/triggers/analyst_logins.sql
--! Included access/functions/known_analyst.sql
-- The name of an analyst's login that this database has mapped. Raises SI404 for other roles and
-- for a dropped login, so that a command never changes or drops another role.
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
--! Included access/functions/analyst_settings.sql
-- The settings of an analyst's login: defaults that it may change, and those that it may not
-- (from temp_file_limit on: only superusers and roles with the right to set them). The server's log
-- would repeat a text of any length with each execution and each error, so it has neither; what
-- analysts ask is in access.analyst_statements, by the number that compute_query_id gives it.
create or replace function access.analyst_settings(studio_id uuid, statement_limit interval) returns table (name text, value text)
language sql stable security invoker
set search_path = ''
begin atomic
  select s.name, s.value
  from (values
    ('search_path', 'api_v1'),
    ('TimeZone', (select t.timezone from app.studios t where t.id = analyst_settings.studio_id)), -- for current_date
    ('default_transaction_read_only', 'on'),
    ('statement_timeout', pg_catalog.round(extract(epoch from statement_limit) * 1000)::text),
    ('idle_in_transaction_session_timeout', pg_catalog.round(extract(epoch from statement_limit) * 1000)::text),
    ('temp_file_limit', '1GB'),
    ('log_min_messages', 'fatal'),
    ('log_min_error_statement', 'panic'),
    ('compute_query_id', 'on')
  ) as s (name, value);
end;

comment on function access.analyst_settings(uuid, interval) is 'What an analyst''s login is set to.';
--! EndIncluded access/functions/analyst_settings.sql
--! Included access/functions/analyst_places.sql
-- How many sessions analysts may have at a time: half of the server's connections together, so that
-- the service always gets one, and a studio a quarter of that, but not less than four.
create or replace function access.analyst_places(out all_studios integer, out one_studio integer)
language sql stable security invoker
set search_path = ''
begin atomic
  select m.most, greatest(m.most / 4, least(m.most, 4))
  from (select pg_catalog.current_setting('max_connections')::integer / 2 as most) as m;
end;

comment on function access.analyst_places() is 'How many sessions all analysts may have at a time, and those of one studio.';
--! EndIncluded access/functions/analyst_places.sql
--! Included access/functions/create_analyst.sql
-- Creates a login of studio_analyst with a random name, and maps it to a studio. Runs with the
-- caller's rights: an administrator's, who may create roles.
--   user_id          whom it is for, a current member of the studio; null when it is for the studio
--                    as such
--   verifier         the SCRAM verifier of its password: the password itself reaches neither the
--                    server nor its log
--   statement_limit  how long a statement may run; a default that the analyst can change, and what
--                    the watchdog goes by
-- Returns the login, and the settings that this administrator may not make (temp_file_limit and
-- those of the log need a superuser, or the right to set them). What the analyst may read is the
-- group's (grants/studio_analyst.sql). Raises 22023 (a value), SI404 (no such studio, no such
-- member), SI409 (the studio is archived or being removed, too many connections).
create or replace function access.create_analyst(
  studio_id uuid, user_id uuid, verifier text, valid_until timestamptz, connections integer, statement_limit interval
) returns table (login name, not_set text[])
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  made name := 'analyst_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 12);
  places record := access.analyst_places();
  taken bigint;
  missing text[] := '{}';
  setting record;
begin
  if verifier !~ '^SCRAM-SHA-256\$\d+:' then
    raise exception 'the password has to be handed over as its SCRAM verifier' using errcode = '22023';
  elsif create_analyst.valid_until is null or create_analyst.valid_until <= pg_catalog.now() then
    raise exception 'valid_until must be in the future' using errcode = '22023';
  elsif connections is null or connections < 1 then
    raise exception 'an analyst''s login needs at least one connection' using errcode = '22023';
  elsif connections > places.one_studio then
    raise exception 'the analysts of one studio may have % sessions at a time, and the login would have %', places.one_studio, connections
      using errcode = '22023', hint = 'Give fewer, or raise max_connections of the server: an eighth of it is for one studio.';
  elsif not exists (select from app.studios s where s.id = create_analyst.studio_id) then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif create_analyst.user_id is not null and not exists (
    select from access.members m where m.studio_id = create_analyst.studio_id and m.user_id = create_analyst.user_id)
  then
    raise exception 'the person the login is for is not a current member of the studio' using errcode = 'SI404';
  end if;

  -- Nobody can archive or remove the studio, or create another login for it, meanwhile.
  perform from access.subscriptions s where s.studio_id = create_analyst.studio_id for share;
  perform from app.studios s where s.id = create_analyst.studio_id for no key update;
  if exists (select from app.studios s where s.id = create_analyst.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  elsif exists (select from access.subscriptions s where s.studio_id = create_analyst.studio_id and s.archived_at is not null) then
    raise exception 'the studio is archived' using errcode = 'SI409', hint = 'Bring it back first.';
  end if;

  -- Between two looks of the watchdog, not even all logins of one studio take the others' half.
  select coalesce(pg_catalog.sum(greatest(r.rolconnlimit, 0)), 0) into taken
  from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
  where l.studio_id = create_analyst.studio_id
    and r.rolcanlogin and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now());
  if taken + connections > places.all_studios then
    raise exception 'the studio''s logins have % of at most % connections', taken, places.all_studios using errcode = 'SI409',
      hint = 'Give fewer, or drop logins that the studio no longer needs.';
  end if;

  execute pg_catalog.format(
    'create role %I login inherit connection limit %s password %L valid until %L', made, connections, verifier,
    create_analyst.valid_until);
  -- It has the group's rights, but cannot SET ROLE to it (before version 16, every member can).
  execute pg_catalog.format('grant studio_analyst to %I%s', made,
    case when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true, set false' else '' end);
  -- Else the watchdog neither sees nor ends its sessions (audit.set_server_rights()).
  if not (pg_catalog.pg_has_role('studio_owner', 'pg_signal_backend', 'USAGE')
    and pg_catalog.pg_has_role('studio_owner', 'pg_read_all_stats', 'USAGE'))
  then
    execute pg_catalog.format('grant %I to studio_owner', made);
  end if;
  insert into access.analyst_logins (login, studio_id, user_id, statement_limit)
  values (made, create_analyst.studio_id, create_analyst.user_id, create_analyst.statement_limit);

  for setting in
    select s.name, s.value from access.analyst_settings(create_analyst.studio_id, create_analyst.statement_limit) as s
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
--! Included access/functions/set_time_zone.sql
-- Gives a studio and its analysts' logins another time zone, so that current_date is the studio's
-- day. Runs with the rights of its caller, an administrator. Days that were recorded stay: those of
-- closed months and of earlier market values. Returns the logins that this administrator may not
-- change, or an empty array. Raises SI404 when there is no such studio, 22023 for an unknown time
-- zone, and what access.may_manage() raises.
--   timezone  a name of the tz database, such as Europe/Berlin
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_time_zone(studio_id uuid, timezone text, done_by uuid default null) returns name[]
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  analyst name;
  not_set name[] := '{}';
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  perform access.may_manage(set_time_zone.studio_id, person, false);
  select s.timezone into former from app.studios s where s.id = set_time_zone.studio_id for no key update;
  update app.studios s set timezone = set_time_zone.timezone where s.id = set_time_zone.studio_id;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  if former <> set_time_zone.timezone then
    insert into access.audit_log (studio_id, event, actor_user_id, detail)
    values (set_time_zone.studio_id, 'studio.time_zone_changed', person, former || ' → ' || set_time_zone.timezone);
  end if;
  for analyst in
    select l.login from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
    where l.studio_id = set_time_zone.studio_id
  loop
    begin
      execute pg_catalog.format('alter role %I set timezone = %L', analyst, set_time_zone.timezone);
    exception when insufficient_privilege then
      not_set := not_set || analyst;
    end;
  end loop;
  return not_set;
end
$$;

comment on function access.set_time_zone(uuid, text, uuid) is
  'Gives a studio and its analysts'' logins another time zone; for administrators.';
--! EndIncluded access/functions/set_time_zone.sql
--! Included access/functions/reset_analysts.sql
-- Resets what analysts changed for their login or group: settings, and default privileges, which
-- would outlive the login. Runs with the caller's rights, an administrator's. Skips what a login
-- holds in an open transaction, and what this administrator may not change. Returns what it reset
-- and what it skipped.
create or replace function access.reset_analysts() returns table (login name, reset text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  change record;
  -- The settings that every login may change.
  own text[] := array(select s.name from pg_catalog.pg_settings s where s.context = 'user');
begin
  for change in
    with analysts (role, login, studio_id, statement_limit) as (
      select r.oid, r.rolname, l.studio_id, l.statement_limit
      from pg_catalog.pg_roles r
      left join access.analyst_logins l on l.login = r.rolname
      where r.rolname = 'studio_analyst'
         or (l.login is not null and not r.rolsuper and not r.rolcreaterole and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member'))
    ), changed (role, login, studio_id, statement_limit) as (
      -- Few have changed anything: the rest of the query looks at those.
      select a.* from analysts a
      where exists (select from pg_catalog.pg_db_role_setting s where s.setrole = a.role and s.setdatabase <> 0)
         or array(
           select setting collate "C"
           from pg_catalog.pg_db_role_setting s cross join lateral pg_catalog.unnest(s.setconfig) as setting
           where s.setrole = a.role and pg_catalog.split_part(setting, '=', 1) = any (own) order by 1)
         <> array(
           select (s.name || '=' || s.value) collate "C" from access.analyst_settings(a.studio_id, a.statement_limit) as s
           where a.statement_limit is not null and s.name = any (own) order by 1)
    ), present (role, login, place, name, value) as (
      select a.role, a.login, case when d.oid is null then '' else pg_catalog.format(' in database %I', d.datname) end,
        pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)
      from changed a
      join pg_catalog.pg_db_role_setting s on s.setrole = a.role
      left join pg_catalog.pg_database d on d.oid = s.setdatabase
      cross join lateral pg_catalog.unnest(s.setconfig) as setting
    ), wanted (role, login, name, value) as (
      select a.role, a.login, s.name, s.value
      from changed a cross join lateral access.analyst_settings(a.studio_id, a.statement_limit) as s
      where a.statement_limit is not null
    )
    select p.login, p.name || p.place as what,
      pg_catalog.format('alter role %I%s reset %I', p.login, p.place, p.name) as text
    from present p
    where p.name = any (own)
      and not (p.place = '' and exists (select from wanted w where w.role = p.role and w.name = p.name))
    union all
    select w.login, w.name, pg_catalog.format('alter role %I set %I = %L', w.login, w.name, w.value)
    from wanted w
    where w.name = any (own)
      and not exists (select from present p where p.role = w.role and p.place = '' and p.name = w.name and p.value = w.value)
    union all
    select a.login, 'default privileges for ' || k.objects,
      pg_catalog.concat_ws('; ',
        (select pg_catalog.string_agg(pg_catalog.format('alter default privileges for role %I revoke all on %s from %s', a.login, k.objects,
            case x.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) end), '; ')
         from (select distinct e.grantee from pg_catalog.aclexplode(d.defaclacl) as e where e.grantee <> a.role) as x),
        pg_catalog.format('alter default privileges for role %I grant all on %s to %I', a.login, k.objects, a.login),
        case k.public when '' then null
          else pg_catalog.format('alter default privileges for role %I grant %s on %s to public', a.login, k.public, k.objects) end)
    from analysts a
    join pg_catalog.pg_default_acl d on d.defaclrole = a.role and d.defaclnamespace = 0
    join (values ('r', 'tables', ''), ('S', 'sequences', ''), ('f', 'functions', 'execute'), ('T', 'types', 'usage'), ('n', 'schemas', ''),
      ('L', 'large objects', '')) as k (kind, objects, public) on k.kind = d.defaclobjtype::text
  loop
    begin
      execute change.text;
      login := change.login;
      reset := change.what;
      return next;
    -- internal_error: the login alters itself at this moment.
    exception when insufficient_privilege or lock_not_available or internal_error then
      null;
    end;
  end loop;
end
$$;

comment on function access.reset_analysts() is 'Takes back what analysts have set for themselves; for administrators.';
--! EndIncluded access/functions/reset_analysts.sql
--! Included access/functions/rotate_analyst.sql
-- Gives an analyst's login another password and another end, with the rights of the caller, an
-- administrator. First lock the login (access.lock_analyst()) and end its sessions: an open one
-- could set the old password again. Unlock it once every login that began before has ended: it may
-- use the old password. Forgets how often it wrote. Raises SI404 when the login does not exist or has no studio, 22023 for a
-- value.
--   login        the name of the role
--   verifier     the password's SCRAM-SHA-256 verifier
--   valid_until  when the password ends, in the future
create or replace function access.rotate_analyst(login text, verifier text, valid_until timestamptz) returns void
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
  update access.analyst_logins l set writes = 0, wrote_at = null where l.login = known;
  insert into access.analyst_log (login, event, studio_id, user_id, done_by)
  values (known, 'rotated', mapping.studio_id, mapping.user_id, session_user);
end
$$;

comment on function access.rotate_analyst(text, text, timestamptz) is
  'Gives an analyst''s login another password and another end; for administrators.';
--! EndIncluded access/functions/rotate_analyst.sql
--! Included access/functions/lock_analyst.sql
-- Locks or unlocks an analyst's login. A login of an archived studio stays locked. Runs with the
-- rights of the caller, an administrator. Open sessions go on: access.end_sessions() ends them.
-- Raises SI404 when there is no such login.
--   login   the name of the role
--   locked  true: no new session; false: sessions again
create or replace function access.lock_analyst(login text, locked boolean) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
begin
  execute pg_catalog.format('alter role %I %s', known, case
    when locked or exists (
      select from access.analyst_logins l join access.subscriptions s on s.studio_id = l.studio_id
      where l.login = known and s.archived_at is not null)
    then 'nologin' else 'login' end);
end
$$;

comment on function access.lock_analyst(text, boolean) is
  'Stops an analyst''s login from logging in, or lets it log in again; for administrators.';
--! EndIncluded access/functions/lock_analyst.sql
--! Included access/functions/unmap_analyst.sql
-- Unmaps an analyst's login: after the commit, open sessions see no rows. Runs with the caller's
-- rights, an administrator's. Commit it before any step that the analyst can delay. Returns the
-- login's role; null if it was dropped. Raises SI404 for an unknown login.
create or replace function access.unmap_analyst(login text) returns oid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
begin
  delete from access.analyst_logins l where l.login = known;
  return (select r.oid from pg_catalog.pg_roles r where r.rolname = known);
end
$$;

comment on function access.unmap_analyst(text) is 'Unmaps an analyst''s login; for administrators.';
--! EndIncluded access/functions/unmap_analyst.sql
--! Included access/functions/drop_analyst.sql
-- Drops an analyst's unmapped login (access.unmap_analyst). Runs with the rights of the caller, an
-- administrator. Drops the login's grants in this database and its default privileges. A login that
-- owns something, or has grants in another database, stays, but cannot log in. Returns why, else
-- null. Raises SI404 for an unknown login.
create or replace function access.drop_analyst(login text) returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  reason text;
begin
  execute pg_catalog.format('alter role %I nologin password null', known);
  begin
    -- It would drop what the login owns, too.
    if not exists (
      select from pg_catalog.pg_shdepend d
      where d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and d.refobjid = pg_catalog.to_regrole(pg_catalog.quote_ident(known))
        and d.deptype = 'o' and d.classid <> 'pg_catalog.pg_default_acl'::pg_catalog.regclass)
    then
      execute pg_catalog.format('drop owned by %I', known);
    end if;
  exception when insufficient_privilege then
    null;
  end;
  begin
    execute pg_catalog.format('drop role %I', known);
  exception when dependent_objects_still_exist or insufficient_privilege then
    get stacked diagnostics reason = pg_exception_detail;
    reason := coalesce(nullif(reason, ''), sqlerrm);
  end;
  return reason;
end
$$;

comment on function access.drop_analyst(text) is 'Drops an analyst''s login that is unmapped; for administrators.';
--! EndIncluded access/functions/drop_analyst.sql
--! Included access/functions/end_sessions.sql
-- Tells every session of a role to end, even if the role was just dropped. Returns the process ids
-- that were still there, so call it until it returns none. It also returns the processes of logins
-- in progress, of any role, because nothing shows whose a login is until it is complete. By then it
-- has a transaction, but before PostgreSQL 18 no row in pg_stat_activity.
create or replace function access.end_sessions(role oid) returns table (pid integer, is_logging_in boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  for pid, is_logging_in in
    select a.pid, false from pg_catalog.pg_stat_activity a
    where a.usesysid = role and a.pid <> pg_catalog.pg_backend_pid()
    union all
    select l.pid, true from pg_catalog.pg_locks l
    left join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.pid is not null
      and (a.pid is null or (a.usesysid is null and a.backend_type = 'client backend'))
  loop
    if not is_logging_in then
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    return next;
  end loop;
end
$$;

comment on function access.end_sessions(oid) is
  'Tells every session of a role to end; returns those that were still there, and the logins in progress.';
--! EndIncluded access/functions/end_sessions.sql
--! Included access/functions/list_analysts.sql
-- The analysts' logins that this database has ever mapped, newest first: of one studio, or of all
-- (null).
--   state  active · expired (its end has passed, or it may not log in) · unmapped (it sees nothing)
--          · dropped · missing (mapped, but its role was dropped by somebody else)
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
--! Included access/views/analyst_sessions.sql
-- The open sessions of analysts: members of studio_analyst, and logins that were dropped meanwhile.
-- For the owner's functions, which see what every session does.
--   place  the session's number in its studio, oldest first
--   holds_lock  an advisory lock, held or waited for
--   turn   its number among all: the first sessions of every studio come before the second ones, so
--          that a full house has room for a studio that has none
create or replace view access.analyst_sessions with (security_invoker = true) as
select
  p.*, pg_catalog.row_number() over (order by p.place, p.began, p.pid) as turn
from (
  select
    coalesce(a.usename, a.usesysid::text::name) as login, a.pid, r.oid is null as dropped, l.studio_id, l.statement_limit,
    a.datname is distinct from pg_catalog.current_database() as elsewhere,
    coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
    pg_catalog.clock_timestamp() - a.xact_start as transaction,
    a.backend_xid is not null as holds_id,
    exists (select from pg_catalog.pg_locks k where k.pid = a.pid and k.locktype = 'advisory') as holds_lock,
    case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
    case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement,
    -- Between statements the server sends only notifications, which this client does not read.
    a.state = 'idle' and a.wait_event = 'ClientWrite' as is_deaf,
    a.query, a.query_id, a.query_start, a.backend_start as began,
    pg_catalog.row_number() over (partition by l.studio_id order by a.backend_start, a.pid) as place
  from pg_catalog.pg_stat_activity a
  left join pg_catalog.pg_roles r on r.oid = a.usesysid
  left join access.analyst_logins l on l.login = a.usename
  where a.backend_type = 'client backend'
    and case
      when r.oid is null then a.datname = pg_catalog.current_database()
      else not r.rolsuper
        and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
        and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
        -- In another database, only our own: the others are that database's analysts.
        and (a.datname = pg_catalog.current_database() or l.login is not null)
    end
) as p;

comment on view access.analyst_sessions is 'The open sessions of analysts, and what each of them does.';
--! EndIncluded access/views/analyst_sessions.sql
--! Included access/functions/record_statements.sql
-- Records what analysts' sessions ask at this moment, and last asked: a row for each login and
-- statement, however often it is executed. A statement that begins and ends between two calls stays
-- unseen, unless it was its session's last. Keeps the newest 1,000 statements of a login, for 90
-- days (access.purge_activity()), each with the beginning that the server shows
-- (track_activity_query_size) and without the values of parameters. So what a login can make the
-- database store has a limit. Called by the watchdog.
create or replace function access.record_statements() returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  growing name[];
begin
  with seen as (
    insert into access.analyst_statements as t (login, query_id, studio_id, text, first_at, last_at)
    -- The server has a number of its own unless it may not compute one (compute_query_id).
    select distinct on (s.login, n.query_id)
      s.login, n.query_id, s.studio_id, s.query, s.query_start, s.query_start
    from access.analyst_sessions s
    cross join lateral (select coalesce(s.query_id, pg_catalog.hashtextextended(s.query, 0)) as query_id) as n
    where s.studio_id is not null and not s.elsewhere and s.query <> ''
    order by s.login, n.query_id, s.query_start desc
    on conflict (login, query_id) do update
      set last_at = excluded.last_at, times = t.times + 1 where t.last_at < excluded.last_at
    returning t.login, t.times
  )
  select pg_catalog.array_agg(distinct s.login) filter (where s.times = 1) into growing from seen s;

  delete from access.analyst_statements t
  using (
    select g.login, (
      select o.last_at from access.analyst_statements o
      where o.login = g.login order by o.last_at desc offset 1000 limit 1) as last_at
    from pg_catalog.unnest(growing) as g (login)
  ) as oldest
  where t.login = oldest.login and t.last_at <= oldest.last_at;
end
$$;

comment on function access.record_statements() is 'Records what analysts ask, each statement of a login once.';
--! EndIncluded access/functions/record_statements.sql
--! Included access/functions/watch_analysts.sql
-- The watchdog: ends what a login could do against its limits, since an analyst can change most
-- settings. The service calls it every few seconds; several processes may call it at once. On a
-- replica it only ends sessions. Returns what it ended, and why:
--   statement      longer than its login's limit: cancelled; its session ends if that does not
--                  help, because a session that waits for its client does not see a cancel
--   transaction    idle for as long as that limit, or open for ten times as long: its session ends,
--                  since it holds locks and old row versions
--   transaction id held at all: its session ends. An analyst takes one only to write: ALTER ROLE of
--                  oneself, a GRANT of nothing, NOTIFY. Each fills the disk, and delays the moment
--                  that others may take for final. Counted in access.analyst_logins.writes
--   notifications  of 64 MB or more wait: a session ends that does not read its own, or that may
--                  keep them by a transaction older than ten seconds
--   session        of a login without a studio, dropped, expired, or in another database: it ends;
--                  also the youngest beyond access.analyst_places(), those of the studio that has
--                  most before those of others
--   prepared       transaction: reported, since only its owner and superusers may roll it back
--   advisory lock  held, which is possible only where the server's functions are open: its session
--                  ends, since the service's jobs and migrations take such locks
-- It sees members of studio_analyst only. Records what they ask (access.record_statements). Needs
-- what grants/studio_owner.sql gives the owner, or else its membership in each analyst's login
-- (audit.set_server_rights()); raises 42501 without it.
create or replace function access.watch_analysts() returns table (login name, pid integer, action text, reason text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  grace constant interval := interval '10 seconds';
  places record := access.analyst_places();
  -- The server tells which part of at most 8 GB, or of max_notify_queue_pages.
  is_queue_long boolean := pg_catalog.pg_notification_queue_usage()
    * coalesce(pg_catalog.current_setting('max_notify_queue_pages', true), '1048576')::bigint >= 8192;
begin
  if not (pg_catalog.pg_has_role('pg_signal_backend', 'usage') and pg_catalog.pg_has_role('pg_read_all_stats', 'usage'))
    and exists (
      select from pg_catalog.pg_roles r
      where r.rolcanlogin and not r.rolsuper and not pg_catalog.pg_has_role(r.oid, 'usage')
        and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
        and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
        -- Those of the audit's proof end by themselves.
        and r.rolname !~ '^studio_passing_')
  then
    raise exception 'studio_owner may not see and end the sessions of analysts: run studio-inventory migrate, or grant '
      'pg_signal_backend, pg_read_all_stats to studio_owner' using errcode = '42501';
  end if;

  if not pg_catalog.pg_is_in_recovery() then
    perform access.record_statements();
  end if;

  for login, pid, action, reason in
    select
      checked.login, checked.pid, case checked.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      checked.reason
    from (
      select
        s.login, s.pid,
        case
          when s.dropped then 'its login was dropped'
          when s.studio_id is null then 'its login is mapped to no studio'
          when s.elsewhere then 'it is connected to another database'
          when s.expired then 'its login has expired'
          when s.holds_id then 'its transaction holds a transaction id'
          when s.holds_lock then 'it holds an advisory lock'
          when is_queue_long and (s.is_deaf or s.transaction > grace) then 'it may hold up the queue of notifications'
          when s.place > places.one_studio then 'its studio has more sessions than one may have'
          when s.turn > places.all_studios then 'analysts have more sessions than they may, and its studio has most'
          when s.transaction > 10 * s.statement_limit then 'its transaction is too old'
          when s.idle > s.statement_limit then 'its transaction is idle for too long'
          when s.statement > s.statement_limit + least(s.statement_limit, grace) then 'its statement went on after it was cancelled'
          when s.statement > s.statement_limit then 'its statement runs too long'
        end as reason
      from access.analyst_sessions s
    ) as checked
    where checked.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    if reason = 'its transaction holds a transaction id' and not pg_catalog.pg_is_in_recovery() then
      -- Once a second, however many processes look and sessions write.
      update access.analyst_logins l
      set writes = case when l.wrote_at > pg_catalog.now() - interval '1 day' then l.writes + 1 else 1 end, wrote_at = pg_catalog.now()
      where l.login = watch_analysts.login and (l.wrote_at > pg_catalog.now() - interval '1 second') is not true;
    end if;
    return next;
  end loop;

  pid := null;
  action := 'reported';
  for login, reason in
    select p.owner, pg_catalog.format('its prepared transaction %L holds back what others may take for final', p.gid)
    from pg_catalog.pg_prepared_xacts p
    left join pg_catalog.pg_roles r on r.rolname = p.owner
    where p.database = pg_catalog.current_database()
      and (r.oid is null or (not r.rolsuper and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
        and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')))
  loop
    return next;
  end loop;
end
$$;

comment on function access.watch_analysts() is
  'Ends statements and sessions of analysts that go beyond their limits; returns which, and why.';
--! EndIncluded access/functions/watch_analysts.sql
--! Included access/functions/count_logins.sql
-- How many sessions all logins have opened in this database since PostgreSQL began to count. Each costs
-- the server a process, and nothing limits how often a login comes. Null without what
-- grants/studio_owner.sql gives the owner.
create or replace function access.count_logins() returns bigint
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not pg_catalog.pg_has_role('pg_read_all_stats', 'usage') then
    return null;
  end if;
  return (
    select pg_catalog.pg_stat_get_db_sessions(d.oid)
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database());
end
$$;

comment on function access.count_logins() is 'How many sessions all logins have opened in this database.';
--! EndIncluded access/functions/count_logins.sql
--! Included access/functions/misdirected_analysts.sql
-- Analysts' logins that were not mapped by the commands, according to access.analyst_log: the
-- commands map a login once, when they make it. For the audit, whose reader sees neither table:
-- returns only names of logins.
create or replace function access.misdirected_analysts() returns table (login name, reason text)
language sql stable security definer
set search_path = ''
begin atomic
  select checked.login, checked.reason
  from (
    select
      l.login,
      case
        when r.oid is null then 'has no role: a role made under that name would see the studio'
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
-- A moment as the API sends it: RFC 3339 in UTC with three decimals; null stays null.
-- spec: "timestamps are ISO 8601 timestamps".
create or replace function api_v1.rfc3339(moment timestamptz) returns text
language sql stable security invoker
return pg_catalog.to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

comment on function api_v1.rfc3339(timestamptz) is 'A moment in RFC 3339, UTC, three decimals.';
--! EndIncluded api_v1/functions/rfc3339.sql
--! Included api_v1/functions/squeezed.sql
-- A text as search compares it: lower case, without spaces and separators, so "u87" finds "U 87".
create or replace function api_v1.squeezed(words text) returns text
language sql immutable strict security invoker
return pg_catalog.lower(pg_catalog.regexp_replace(words, '[\s_./-]+', '', 'g'));

comment on function api_v1.squeezed(text) is 'A text as a search compares it: in lower case, without spaces and separators.';
--! EndIncluded api_v1/functions/squeezed.sql
--! Included api_v1/functions/search_patterns.sql
-- LIKE patterns for a search, one for each word; null without words, which matches nothing.
create or replace function api_v1.search_patterns(q text) returns text[]
language sql stable security invoker
return (
  select pg_catalog.array_agg('%' || pg_catalog.regexp_replace(api_v1.squeezed(w.word), '[\\%]', '\\\&', 'g') || '%')
  from pg_catalog.regexp_split_to_table(q, '\s+') as w (word)
  where api_v1.squeezed(w.word) <> ''
);

comment on function api_v1.search_patterns(text) is 'The patterns for LIKE of what somebody looks for.';
--! EndIncluded api_v1/functions/search_patterns.sql
--! Included api_v1/views/policies.sql
-- All policies of the studio. active uses the studio's own calendar. Omits the columns that the API
-- never returns: owner_user_id, source_document_id, notes, studio_id.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and
-- effective_end (if set) has not passed"; policy_type — "Null when the stored value is not a
-- recognised type."
--
-- The condition is always true. A view without one merges into a reader's UNION ALL, where the
-- planner puts the reader's conditions before row-level security (docs/row-level-security.md).
create or replace view api_v1.policies with (security_invoker = true) as
select
  p.id, p.name, p.carrier, p.policy_number,
  case when p.policy_type in ('studio_property', 'equipment_floater', 'touring_rider', 'vehicle_transit', 'liability',
    'umbrella', 'other') then p.policy_type end as policy_type,
  p.overall_limit::numeric as overall_limit, p.deductible::numeric as deductible,
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
-- Which item is declared under which policy. The row's own id, notes and timestamps are neither
-- shown nor granted. active is what api_v1.cover_on() is for any day.
-- spec: Assignment object; policy_name — "Joined in; null when unavailable."
create or replace view api_v1.assignments with (security_invoker = true) as
select
  a.item_id, a.policy_id, p.name as policy_name, a.declared_value::numeric as declared_value, a.is_primary,
  a.effective_start, a.effective_end,
  case when i.archived_at is null then v.current_estimated_value::numeric end as item_value,
  -- PostgreSQL reads the active policies once, and not for each assignment.
  a.policy_id in (select q.id from api_v1.policies q where q.active) and i.archived_at is null
    and coalesce(a.effective_start, '-infinity') <= (select access.current_studio_today())
    and coalesce(a.effective_end, 'infinity') >= (select access.current_studio_today()) as active
from app.policy_assignments a
left join app.policies p on p.studio_id = a.studio_id and p.id = a.policy_id
-- PostgreSQL passes the studio on to the indexes of both tables through these joins, which it could
-- not with a sub-select. It also drops a join whose columns nobody asks for.
left join app.items i on i.studio_id = a.studio_id and i.id = a.item_id
left join app.item_valuations v on v.studio_id = a.studio_id and v.item_id = a.item_id;

comment on view api_v1.assignments is 'Which item is declared under which policy, and for how much.';
comment on column api_v1.assignments.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.assignments.policy_id is 'The policy, joins policies.id.';
comment on column api_v1.assignments.policy_name is 'Name of the policy; null when unavailable.';
comment on column api_v1.assignments.declared_value is 'Amount declared for the item under the policy; null means unknown.';
comment on column api_v1.assignments.is_primary is 'Whether this is the item''s primary assignment; at most one is.';
comment on column api_v1.assignments.effective_start is 'First day of the assignment; null when no window is set.';
comment on column api_v1.assignments.effective_end is 'Last day of the assignment; null when open-ended.';
comment on column api_v1.assignments.item_value is
  'What the item is worth today; null when that is not known or the item is archived.';
comment on column api_v1.assignments.active is
  'Whether the item is declared under the policy today: the policy is active, the dates include today, the item is not archived.';
--! EndIncluded api_v1/views/assignments.sql
--! Included api_v1/views/items.sql
-- Archived items are never shown.
-- spec: "Archived items are never returned by the items endpoints"; Item object.
create or replace view api_v1.items with (security_invoker = true) as
select
  i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price::numeric as purchase_price, i.acquisition_date,
  case when i.depreciation_changes is null then i.depreciation_method else coalesce(
    (select c.depreciation_method from pg_catalog.unnest(i.depreciation_changes) as c
     where c.depreciation_method is not null order by c.effective_on desc limit 1), i.depreciation_method) end as depreciation_method,
  v.current_estimated_value::numeric as current_estimated_value, v.value_source,
  i.market_value_as_of,
  null::numeric as agreed_value_from_policy,
  i.reported_insured_value::numeric as reported_insured_value,
  v.coverage_state, v.gap_amount,
  i.location_id, i.created_at, i.updated_at, v.updated_at as valuation_updated_at,
  v.book_value::numeric as book_value, i.external_key, i.replacement_cost::numeric as replacement_cost,
  -- The policy of each table compares the studio with a constant, by which its index is searched.
  (select count(*) from app.item_photos p where p.item_id = i.id)::integer as photo_count,
  (select a.policy_id from app.policy_assignments a
   where a.item_id = i.id and a.is_primary) as primary_policy_id,
  (select count(distinct a.policy_id) from api_v1.assignments a where a.item_id = i.id and a.active)::integer
    as active_policy_count
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
comment on column api_v1.items.updated_at is 'When somebody last changed the item.';
comment on column api_v1.items.valuation_updated_at is
  'When its value, or an amount or place that goes with it, last changed, by the calendar too.';
comment on column api_v1.items.book_value is
  'Purchase price less depreciation, even if another value counts; null when neither is recorded.';
comment on column api_v1.items.external_key is 'The studio''s own key, as imported; null when not recorded.';
comment on column api_v1.items.replacement_cost is 'What a new one would cost; null when not recorded.';
comment on column api_v1.items.photo_count is 'Number of photos.';
comment on column api_v1.items.primary_policy_id is 'Policy of the primary assignment, joins policies.id; null when there is none.';
comment on column api_v1.items.active_policy_count is
  'Number of policies under which the item is declared today; changes with the calendar.';
--! EndIncluded api_v1/views/items.sql
--! Included api_v1/views/locations.sql
-- Below the Studio plan, this shows only the default location. It uses the recorded plan, as
-- api_v1.removals does. Opening a session checks API access.
-- spec: "Available on the Studio plan; the Pro plan has one implicit location."
create or replace view api_v1.locations with (security_invoker = true) as
select
  l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
  l.postal_code, l.country_code, l.is_default, l.created_at, l.updated_at
from app.locations l
where l.is_default or (select access.shows_all_locations());

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
-- Leaves out the records of archived items.
-- spec: GET /maintenance — "Lists scheduled and completed maintenance per item".
create or replace view api_v1.maintenance with (security_invoker = true) as
select
  m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
  m.cost::numeric as cost, m.vendor, m.description, m.created_at, m.updated_at
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
--! Included api_v1/views/removals.sql
-- Records that have left their list, for as long as they are away. A policy leaves at leaves_at and
-- comes back at returns_at; every other removal counts at once, even if a clock that was set back
-- makes removed_at later than now.
create or replace view api_v1.removals with (security_invoker = true) as
select r.resource, r.id, r.reason, r.removed_at
from app.removals r
where (r.leaves_at is null or r.leaves_at <= (select access.clock()))
  and (r.returns_at is null or r.returns_at > (select access.clock()));

comment on view api_v1.removals is 'Records that have left their list: archived, deleted, expired or hidden by the plan.';
comment on column api_v1.removals.resource is 'Which list the record has left: item, policy, location or maintenance.';
comment on column api_v1.removals.id is 'Id of the record in that list.';
comment on column api_v1.removals.reason is
  'archived, deleted, expired, not_started (a policy whose start was moved), item_archived (maintenance) or not_in_plan (a location).';
comment on column api_v1.removals.removed_at is 'When the record left the list.';
--! EndIncluded api_v1/views/removals.sql
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
-- Which views join by which columns. PostgreSQL declares no keys on views, so tools cannot find the
-- joins; people and scripts find them here, and in the comments of the columns. Like every view, it
-- is empty without a studio.
create or replace view api_v1.relationships with (security_invoker = true) as
select r.view_name, r.column_name, r.refers_to_view, r.refers_to_column, r.may_be_null, r.note
from (values
  ('items', 'location_id', 'locations', 'id', true, 'On the Pro plan only the default location is shown.'),
  ('items', 'primary_policy_id', 'policies', 'id', true, 'Null without a primary assignment.'),
  ('locations', 'parent_id', 'locations', 'id', true, 'The location that this one is part of.'),
  ('maintenance', 'item_id', 'items', 'id', false, 'Every record finds its item.'),
  ('workings', 'item_id', 'items', 'id', false, 'One row for each item.'),
  ('depreciation_schedule', 'item_id', 'items', 'id', false, 'Only items that depreciate.'),
  ('depreciation_changes', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('closed_values', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('corrections', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('assignments', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('assignments', 'policy_id', 'policies', 'id', false, 'Every assignment finds its policy.')
) as r (view_name, column_name, refers_to_view, refers_to_column, may_be_null, note)
where (select access.current_studio_id()) is not null;

comment on view api_v1.relationships is 'Which views can be joined by which columns; each id is unique in its view.';
comment on column api_v1.relationships.view_name is 'The view with the column.';
comment on column api_v1.relationships.column_name is 'The column that refers.';
comment on column api_v1.relationships.refers_to_view is 'The view that the column refers to.';
comment on column api_v1.relationships.refers_to_column is 'Its key, unique there.';
comment on column api_v1.relationships.may_be_null is 'Whether the referring column can be null: then a left join keeps all rows.';
comment on column api_v1.relationships.note is 'What to know when joining.';
--! EndIncluded api_v1/views/relationships.sql
--! Included service/functions/is_exactly.sql
-- Whether a text that somebody wrote is the one that is given. The conditions are those of the
-- indexes of such texts, which omit the empty ones and hold at most 2,700 bytes.
create or replace function service.is_exactly(stored text, given text) returns boolean
language sql immutable security invoker
return stored = given and stored <> '' and pg_catalog.octet_length(stored) <= 1000;

comment on function service.is_exactly(text, text) is 'Whether a text is the one that is given, for an index of such texts.';
--! EndIncluded service/functions/is_exactly.sql
--! Included service/functions/is_due.sql
-- Whether maintenance is due in a range of days. Completed records are not, whenever they were due.
--   after, before   the days around the range; null: no limit
create or replace function service.is_due(status text, scheduled_date date, after date, before date) returns boolean
language sql immutable security invoker
return status = 'scheduled' and scheduled_date > coalesce(after, '-infinity') and scheduled_date < coalesce(before, 'infinity');

comment on function service.is_due(text, date, date, date) is 'Whether maintenance is scheduled between two days.';
--! EndIncluded service/functions/is_due.sql
--! Included service/functions/is_in_force.sql
-- Whether a policy is in force on a day: its dates include the day. From today on, an archived policy
-- is not in force; on an earlier day it still is, because nothing says when somebody archived it.
--   starts, ends   null: a policy without a start is never in force, one without an end does not end
create or replace function service.is_in_force(starts date, ends date, archived boolean, day date) returns boolean
language sql stable security invoker
return coalesce(starts <= day and coalesce(ends, 'infinity') >= day
  and (not archived or day < (select access.current_studio_today())), false);

comment on function service.is_in_force(date, date, boolean, date) is 'Whether a policy is in force on a day.';
--! EndIncluded service/functions/is_in_force.sql
--! Included service/functions/lacks_value.sql
-- Whether an item has no known value, or has not been valued yet: the index items_by_coverage finds
-- both.
create or replace function service.lacks_value(coverage_state text) returns boolean
language sql immutable security invoker
return coverage_state is null or coverage_state = 'value_unknown';

comment on function service.lacks_value(text) is 'Whether an item has no known value.';
--! EndIncluded service/functions/lacks_value.sql
--! Included service/functions/inventory_on.sql
-- What the studio has at the end of a day (valuation.inventory()), with what GET /valuations?on=
-- filters by. Values nothing: see api_v1.items_on() for the values of all items.
create or replace function service.inventory_on(day date)
returns table (id uuid, category text, location_id uuid)
language plpgsql stable security definer
set search_path = ''
set enable_bitmapscan = on
set enable_indexscan = off -- all items are read: in their order on disk
set work_mem = '32MB' -- of all items, in memory
as $$
begin
  return query
  select (v.item).id, (v.item).category, (v.item).location_id from valuation.inventory(inventory_on.day) as v;
end
$$;

comment on function service.inventory_on(date) is 'The studio''s items at the end of a day, without their values.';
--! EndIncluded service/functions/inventory_on.sql
--! Included service/functions/valuation_on.sql
-- An item's value at the end of a day, past or to come, as the JSON text of GET /valuations?on=: the
-- columns of service.valuation_documents. No row for an item that the studio does not have by then.
create or replace function service.valuation_on(day date, item_id uuid) returns table (document text)
language sql stable security definer
set search_path = ''
set enable_bitmapscan = on
set enable_indexscan = on
begin atomic
  select row_to_json((select valuation from (select
    (v.item).id as item_id, (v.breakdown).current_estimated_value::numeric as current_estimated_value,
    (v.breakdown).value_source, null::numeric as agreed_value_from_policy, (v.breakdown).coverage_state,
    (v.breakdown).gap_amount::numeric as gap_amount, (v.breakdown).book_value::numeric as book_value,
    (v.item).purchase_price::numeric as purchase_price,
    (v.item).reported_insured_value::numeric as reported_insured_value,
    api_v1.rfc3339(coalesce((
      select p.updated_at from app.item_valuations p
      where p.studio_id = (v.item).studio_id and p.item_id = valuation_on.item_id), (v.item).updated_at)) as updated_at
  ) as valuation))::text
  from valuation.value_items(valuation_on.day, valuation_on.item_id) as v;
end;

comment on function service.valuation_on(date, uuid) is 'The value of one item at the end of a day, as JSON text.';
--! EndIncluded service/functions/valuation_on.sql
--! Included service/views/listed_items.sql
-- The items as the list shows them, in the order of the JSON, moments as text. The row that
-- row_to_json() takes; app.store_document() gives each column the same value and stores the JSON.
-- spec: Item object, the fields that are not "Detail only".
create or replace view service.listed_items with (security_invoker = true) as
select
  i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price::numeric as purchase_price, i.acquisition_date,
  case when i.depreciation_changes is null then i.depreciation_method else coalesce(
    (select c.depreciation_method from pg_catalog.unnest(i.depreciation_changes) as c
     where c.depreciation_method is not null order by c.effective_on desc limit 1), i.depreciation_method) end as depreciation_method,
  api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
  i.reported_insured_value::numeric as reported_insured_value, i.location_id,
  api_v1.rfc3339(i.created_at) as created_at, api_v1.rfc3339(i.updated_at) as updated_at
from app.items i
where i.archived_at is null;

comment on view service.listed_items is 'The items as the list shows them, for the REST service.';
--! EndIncluded service/views/listed_items.sql
--! Included service/views/item_documents.sql
-- The list's items as JSON text, with the columns that filter and order them. For the REST service.
-- Each item stores its text; of one not written since the column was added, reading makes it.
create or replace view service.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, (select row_to_json(l)::text from service.listed_items l where l.id = i.id)) as document,
  i.barcode, i.serial_number, i.words, i.tags, i.short_tags, i.acquisition_date, i.location_id, i.name,
  i.reported_insured_value::numeric as reported_insured_value
from app.items i
where i.archived_at is null;

comment on view service.item_documents is 'The items of the list as JSON text, for the REST service.';
--! EndIncluded service/views/item_documents.sql
--! Included service/views/searched_items.sql
-- What the items of the list are searched by: a row for each, from the index items_by_words, which
-- has every column that no other index finds. Reading a studio's part of it is a search. For the
-- REST service and the console.
--   tags         also those that are too long for the index
--   name_key     orders by name: its letters and digits, in any case. The words begin with the name
--   has_photo, current_estimated_value   are read only where somebody asks for them
-- The planner may use that index only where a statement says that there are words: otherwise it
-- would guess that it is as cheap as the index of another list.
create or replace view service.searched_items with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state, i.barcode, i.serial_number, i.words,
  coalesce(i.short_tags, (select t.tags from app.items t where t.studio_id = i.studio_id and t.id = i.id)) as tags,
  i.acquisition_date, i.location_id, pg_catalog.split_part(i.words, '|', 1) as name_key,
  -- PostgreSQL reads the photos once. With EXISTS it would search them for each item.
  i.id in (select p.item_id from app.item_photos p) as has_photo,
  v.current_estimated_value::numeric as current_estimated_value
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
where i.archived_at is null and i.words is not null;

comment on view service.searched_items is 'What items are searched and ordered by, for the REST service and the console.';
--! EndIncluded service/views/searched_items.sql
--! Included service/views/item_valuations.sql
-- Only the projection, so that an item stays complete if the projection cannot be read.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null".
create or replace view service.item_valuations with (security_invoker = true) as
select v.item_id, v.current_estimated_value::numeric as current_estimated_value, v.value_source, v.coverage_state,
  v.gap_amount, v.purchase_price::numeric as purchase_price,
  v.reported_insured_value::numeric as reported_insured_value, v.category, v.location_id, v.is_archived
from app.item_valuations v;

comment on view service.item_valuations is 'The valuation of each item, for the REST service.';
--! EndIncluded service/views/item_valuations.sql
--! Included service/views/valuation_documents.sql
-- The valuation of each item that is not archived, as its JSON text, with the columns that filter
-- and order it. For the REST service. An item whose projection is missing has nulls.
-- spec: Item object, the valuation fields of the detail.
create or replace view service.valuation_documents with (security_invoker = true) as
select
  v.item_id as id, v.updated_at, v.category, v.coverage_state, v.value_source, v.location_id,
  row_to_json((select valuation from (select
    v.item_id, v.current_estimated_value::numeric as current_estimated_value, v.value_source,
    null::numeric as agreed_value_from_policy, v.coverage_state, v.gap_amount,
    v.book_value::numeric as book_value, v.purchase_price::numeric as purchase_price,
    v.reported_insured_value::numeric as reported_insured_value, api_v1.rfc3339(v.updated_at) as updated_at
  ) as valuation))::text as document
from app.item_valuations v
where not v.is_archived;

comment on view service.valuation_documents is 'The valuation of each item as JSON text, for the REST service.';
--! EndIncluded service/views/valuation_documents.sql
--! Included service/views/item_photos.sql
-- The storage keys of each item's photos, in order. For the REST service, which signs them.
-- spec: photo_urls.
create or replace view service.item_photos with (security_invoker = true) as
select p.item_id, p.position, p.id, p.storage_key
from app.item_photos p;

comment on view service.item_photos is 'Storage keys of the items'' photos, for the REST service.';
--! EndIncluded service/views/item_photos.sql
--! Included service/views/item_counts.sql
-- The number of live items per category and coverage state ('*' is all), in parts to sum. For the
-- REST service.
create or replace view service.item_counts with (security_invoker = true) as
select c.category, c.coverage_state, c.items from app.item_counts c;

comment on view service.item_counts is 'Numbers of items per category and coverage state, in parts to be summed.';
--! EndIncluded service/views/item_counts.sql
--! Included service/views/listed_maintenance.sql
-- The maintenance records as the list shows them, in the order of the JSON, moments as text. The
-- row that row_to_json() takes; app.store_document() gives each column the same value.
-- spec: Maintenance record object.
create or replace view service.listed_maintenance with (security_invoker = true) as
select
  m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date,
  m.cost::numeric as cost, m.vendor, m.description, api_v1.rfc3339(m.created_at) as created_at,
  api_v1.rfc3339(m.updated_at) as updated_at
from app.maintenance_records m
where not m.item_archived;

comment on view service.listed_maintenance is 'Maintenance records as the list shows them, for the REST service.';
--! EndIncluded service/views/listed_maintenance.sql
--! Included service/views/maintenance_documents.sql
-- The list's maintenance records as JSON text, with the columns that filter and order them. For the
-- REST service. Each record stores its text; of one not written since the column was added, reading
-- makes it.
create or replace view service.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, (select row_to_json(l)::text from service.listed_maintenance l where l.id = m.id)) as document,
  m.scheduled_date
from app.maintenance_records m
where not m.item_archived;

comment on view service.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
--! EndIncluded service/views/maintenance_documents.sql
--! Included service/views/maintenance_counts.sql
-- The number of records per status ('*' is all), in parts to sum. For the REST service.
create or replace view service.maintenance_counts with (security_invoker = true) as
select c.status, c.records from app.maintenance_counts c;

comment on view service.maintenance_counts is 'Numbers of maintenance records per status, in parts to be summed.';
--! EndIncluded service/views/maintenance_counts.sql
--! Included service/views/location_documents.sql
-- The list's locations as JSON text, with the columns that filter and order them. For the REST
-- service.
create or replace view service.location_documents with (security_invoker = true) as
select l.id, l.updated_at,
  row_to_json((select location from (select
    l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
    l.postal_code, l.country_code, l.is_default,
    api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
  ) as location))::text as document
from api_v1.locations l;

comment on view service.location_documents is 'Locations as JSON text, for the REST service.';
--! EndIncluded service/views/location_documents.sql
--! Included service/views/location_tree.sql
-- The locations that the plan shows, each with those that it is part of. This is the one walk over
-- locations: filters, sums, the report and the console read it. Ordered by path, each location comes
-- before its own parts, and its neighbours are in the order of their names.
--   depth     0: part of no location that is shown
--   path      the names from the outermost in, in small letters, each followed by the location's id
--   within    the ids from the outermost in; the last one is the location's own
--   label     the names from the outermost in
--   address   its own in one line, or else that of the nearest location around it; empty if neither is
--             recorded
create or replace view service.location_tree with (security_invoker = true) as
with recursive shown as (
  select
    l.id, l.name, l.parent_id, array[pg_catalog.lower(l.name), l.id::text] as step,
    concat_ws(', ', nullif(l.address_line1, ''), nullif(l.address_line2, ''), nullif(concat_ws(' ', l.postal_code, l.city), ''),
      nullif(l.region, ''), nullif(l.country_code, '')) as address
  from api_v1.locations l
), placed as (
  select s.id, s.name, 0 as depth, s.step as path, array[s.id] as within, s.name as label, s.address from shown s
  -- Not an anti-join, which would compare all pairs of a large studio's locations.
  where (s.parent_id in (select above.id from shown above)) is not true
  union all
  select s.id, s.name, p.depth + 1, p.path || s.step, p.within || s.id, p.label || ' › ' || s.name,
    coalesce(nullif(s.address, ''), p.address)
  from placed p join shown s on s.parent_id = p.id
)
select p.id, p.name, p.depth, p.path, p.within, p.label, p.address from placed p;

comment on view service.location_tree is 'The locations, each with those that it is part of.';
--! EndIncluded service/views/location_tree.sql
--! Included api_v1/functions/locations_within.sql
-- A location and all locations within it, at any depth, as far as the plan shows them. A location
-- that is not shown has nothing within it. Null gives null.
create or replace function api_v1.locations_within(location_id uuid) returns uuid[]
language sql stable strict security invoker
set search_path = ''
begin atomic
  select array(
    select t.id from service.location_tree t where locations_within.location_id = any (t.within) and t.id <> locations_within.location_id
  ) || locations_within.location_id;
end;

comment on function api_v1.locations_within(uuid) is 'A location and all locations within it.';
--! EndIncluded api_v1/functions/locations_within.sql
--! Included service/views/policy_documents.sql
-- The policies that are active today, each as its JSON text, with the columns that filter and order
-- it. For the REST service. A policy that has begun became visible on its first day, whenever it
-- was recorded: changed_at is the later of the two moments. spec: GET /policies; Policy activity.
create or replace view service.policy_documents with (security_invoker = true) as
select p.id, p.effective_start,
  greatest(p.updated_at, access.first_moment(p.effective_start, (select a.timezone from access.current_account() a)))
    as changed_at,
  row_to_json((select policy from (select
    p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
    p.location_constraints, p.effective_start, p.effective_end, p.archived
  ) as policy))::text as document,
  p.effective_end
from api_v1.policies p
where p.active;

comment on view service.policy_documents is 'Active policies as JSON text, for the REST service.';
--! EndIncluded service/views/policy_documents.sql
--! Included service/views/policy_item_documents.sql
-- The items of each policy as JSON text, for the REST service; without archived items.
--   id          the page key; not the assignment's id, which is never returned
--   updated_at  the item's; a change of the assignment moves it
-- spec: Assignment object.
create or replace view service.policy_item_documents with (security_invoker = true) as
select
  a.page_key as id, a.policy_id, a.item_id, i.updated_at,
  row_to_json((select declared from (select
    a.item_id, i.name as item_name, a.declared_value::numeric as declared_value, a.is_primary, a.effective_start,
    a.effective_end
  ) as declared))::text as document
from app.policy_assignments a
-- With `offset 0` PostgreSQL looks up the items of the policy. A join could read all items of the
-- studio for a few.
cross join lateral (
  select i.name, i.updated_at from app.items i
  where i.studio_id = a.studio_id and i.id = a.item_id and i.archived_at is null offset 0
) as i;

comment on view service.policy_item_documents is 'The items of each policy as JSON text, for the REST service.';
--! EndIncluded service/views/policy_item_documents.sql
--! Included service/views/removal_documents.sql
-- What has left its list, each removal as its JSON text, with the columns that filter and order it.
-- For the REST service.
create or replace view service.removal_documents with (security_invoker = true) as
select r.id, r.removed_at,
  row_to_json((select removal from (select
    r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
  ) as removal))::text as document
from api_v1.removals r;

comment on view service.removal_documents is 'Removals as JSON text, for the REST service.';
--! EndIncluded service/views/removal_documents.sql
--! Included service/views/closed_months.sql
-- What a studio was worth and had declared at the end of each month that is completely closed. For
-- the console.
create or replace view service.closed_months with (security_invoker = true) as
select c.month_end, c.items, c.estimated_value, c.reported_insured_value
from app.closings c
where c.studio_id is not null;

comment on view service.closed_months is 'The sums of each closed month, for the console.';
--! EndIncluded service/views/closed_months.sql
--! Included api_v1/functions/items_on.sql
-- The inventory at the end of a day, past or future, valued as of then; columns as in api_v1.items.
-- 31 March includes the charge of March, so today here equals tomorrow in the API. Market values
-- count from the day they were known; other columns are as recorded now, not as recorded then
-- (api_v1.closed_values has those).
--   day       no rows if null or outside the years 1 to 9999
--   item_id   only this item; null: all
create or replace function api_v1.items_on(day date, item_id uuid default null)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, purchase_price numeric, current_estimated_value numeric, value_source text,
  reported_insured_value numeric, coverage_state text, gap_amount numeric, book_value numeric, replacement_cost numeric,
  photo_count integer, external_key text
)
language plpgsql stable security definer
set search_path = ''
-- studio_api is set up for pages of a list. Its settings would make PostgreSQL compare each item
-- with every item that has photos.
set enable_sort = on
set enable_bitmapscan = on
set enable_indexscan = on
set jit = off
set work_mem = '32MB' -- all items fit into this memory
as $$
#variable_conflict use_column
begin
  if items_on.day not between '0001-01-01' and '9999-12-31' then
    return;
  elsif items_on.item_id is null then
    return query
    select
      v.id, v.name, v.manufacturer, v.model, v.serial_number, v.barcode, v.category, v.location_id, v.acquisition_date,
      v.purchase_price, v.current_estimated_value, v.value_source, v.reported_insured_value, v.coverage_state, v.gap_amount,
      v.book_value, v.replacement_cost, coalesce(photos.number, 0)::integer, v.external_key
    from valuation.assess_items(items_on.day) as v
    left join (
      select p.item_id, count(*) as number from app.item_photos p
      where p.studio_id = (select access.current_studio_id()) group by p.item_id
    ) as photos on photos.item_id = v.id
    order by v.id;
  else
    return query
    select
      (v.item).id, (v.item).name, (v.item).manufacturer, (v.item).model, (v.item).serial_number, (v.item).barcode,
      (v.item).category, (v.item).location_id, (v.item).acquisition_date, (v.item).purchase_price::numeric,
      (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.item).reported_insured_value::numeric,
      (v.breakdown).coverage_state, (v.breakdown).gap_amount, (v.breakdown).book_value, (v.item).replacement_cost::numeric,
      (select count(*) from app.item_photos p where p.studio_id = (v.item).studio_id and p.item_id = (v.item).id)::integer,
      (v.item).external_key
    from valuation.value_items(items_on.day, items_on.item_id) as v;
  end if;
end
$$;

comment on function api_v1.items_on(date, uuid) is
  'The studio''s equipment at the end of a day, past or future, each item with its value then; all items or one.';
--! EndIncluded api_v1/functions/items_on.sql
--! Included api_v1/functions/cover_on.sql
-- What is declared under each policy on a day: the one definition, for the report, the console, the
-- sums and the REST summary. An item is declared under a policy if the policy is in force, the dates
-- of an assignment include the day, and the item is not archived. The caller reads the items of the
-- day anyway (api_v1.items, api_v1.items_on()) and joins them, which leaves out the archived ones.
-- api_v1.assignments.active says the same of today, in a view.
-- Returns a row for each item and policy:
--   only_policy     only this policy; null: all
--   declared_value  the sum over the assignments of that day; null: no amount is recorded
--   is_primary      whether the item's primary assignment is one of them
--   assignments     how many they are. Two or more are usually a mistake, which readers are told
create or replace function api_v1.cover_on(day date, only_policy uuid default null)
returns table (item_id uuid, policy_id uuid, declared_value numeric, is_primary boolean, assignments integer)
language sql stable security invoker parallel safe
begin atomic
  select a.item_id, a.policy_id, sum(a.declared_value::numeric), pg_catalog.bool_or(a.is_primary), count(*)::integer
  from app.policy_assignments a
  join app.policies p on p.studio_id = a.studio_id and p.id = a.policy_id
  where coalesce(a.effective_start, '-infinity') <= cover_on.day and coalesce(a.effective_end, 'infinity') >= cover_on.day
    and service.is_in_force(p.effective_start, p.effective_end, p.archived_at is not null, cover_on.day)
    and (cover_on.only_policy is null or p.id = cover_on.only_policy)
  group by a.item_id, a.policy_id;
end;

comment on function api_v1.cover_on(date, uuid) is 'Which items are declared under which policies on a day, and for how much.';
--! EndIncluded api_v1/functions/cover_on.sql
--! Included api_v1/functions/sums_on.sql
-- The one definition of every sum over items: the REST summary, the console, the report, GraphQL and
-- analysts read it here. Counts items and sums their amounts in groups. Several groupings cost one
-- reading of the items.
--   day              the end of a day, past or future, as api_v1.items_on() values it; null: today as
--                    the lists show it. No items outside the years 1 to 9999
--   by               any of total, category, location, location_with_sublocations, coverage_state,
--                    value_source, policy and each_policy. Else raises 22023. By policy, an item
--                    belongs to one policy that covers it on the day: that of its primary assignment
--                    if it does, else the first by id. By each_policy, it counts in every policy that
--                    covers it, and declared_under_policies is what that policy declares
--   category, coverage_state   only such items; null: all
--   policy_id        only the items that this policy covers on the day (api_v1.cover_on()), and of
--                    declared_under_policies only its part; null: all
--   with_cover       whether to show declared_under_policies and the two columns after it, which
--                    takes half as long again; else they are null. without_amount_items are those
--                    for which a policy has no amount. repeated_items have several assignments under
--                    one policy on the day, whose amounts are added
--   grouped_by, key  the grouping, and the group in it: text, or the id of a location or policy. The
--                    key is null for items that have none, and in the total. A studio without
--                    items has a total of zeros
-- Amounts are in the studio's currency, with its decimals; what is not recorded counts 0.
-- left_to_declare is under_declared + not_declared. over_declared is never offset against them.
-- In each row
--   estimated_value - (reported_insured_value - without_value_declared)
--     = under_declared + not_declared - over_declared
-- and the groups of a grouping add up to the total, except for locations with their sublocations and
-- for each policy.
create or replace function api_v1.sums_on(
  day date default null, by text[] default '{total}', category text default null, coverage_state text default null,
  policy_id uuid default null, with_cover boolean default false
)
returns table (
  grouped_by text, key text, items integer, estimated_value numeric, purchase_price numeric, replacement_cost numeric,
  book_value numeric, reported_insured_value numeric, under_declared_items integer, under_declared numeric,
  not_declared_items integer, not_declared numeric, left_to_declare numeric, over_declared_items integer, over_declared numeric,
  without_value_items integer, without_value_declared numeric, declared_under_policies numeric,
  without_amount_items integer, repeated_items integer
)
language plpgsql stable security definer rows 100
set search_path = ''
set jit = off
set plan_cache_mode = 'force_custom_plan' -- leaves out what the arguments do not ask for
set enable_sort = on -- studio_api plans for pages: here most of a studio's rows are read
set enable_bitmapscan = on
set enable_seqscan = on
set enable_mergejoin = off -- would sort them
set work_mem = '32MB'
as $$
#variable_conflict use_column
declare
  groupings text[] := '{total,category,location,location_with_sublocations,coverage_state,value_source,policy,each_policy}';
  decimals integer := (select a.minor_units from access.current_account() as a);
  studio uuid := access.current_studio_id();
  today date := access.current_studio_today();
  readings text[] := pg_catalog.array_remove(array[
    case when sums_on.by && '{category,value_source}' or not sums_on.by && '{location,location_with_sublocations,policy}'
      then 'kind' end,
    case when sums_on.by && '{location,location_with_sublocations}' then 'place' end,
    case when 'policy' = any (sums_on.by) then 'policy' end,
    case when 'each_policy' = any (sums_on.by) then 'each_policy' end], null);
  alone boolean := pg_catalog.cardinality(readings) = 1; -- then the plan has no trace of readings
begin
  if (sums_on.by <@ groupings) is not true then
    raise exception 'by is of %, and not %', pg_catalog.array_to_string(groupings, ', '),
      coalesce(pg_catalog.array_to_string(sums_on.by, ', ', 'null'), 'null') using errcode = '22023';
  end if;
  return query
  with cover as materialized (
    select * from api_v1.cover_on(coalesce(sums_on.day, today), sums_on.policy_id)
    where sums_on.with_cover or sums_on.policy_id is not null or sums_on.by && '{policy,each_policy}'
  ), cells as materialized (
    -- Adds up the items that are in the same groups. A studio can have thousands of places and of
    -- policies, and nearly every item would be a group of its own. So each reading groups the items
    -- by their kind, by their place, by their policy or by each of their policies.
    select
      case when alone then readings[1] else reading.by end as reading,
      case when 'category' = any (sums_on.by) and (alone or reading.by = 'kind') then h.category end as category,
      case when sums_on.by && '{location,location_with_sublocations}' and (alone or reading.by = 'place')
        then h.location_id end as location_id,
      case when 'value_source' = any (sums_on.by) and (alone or reading.by = 'kind') then h.value_source end as value_source,
      case when sums_on.by && '{policy,each_policy}' and (alone or reading.by in ('policy', 'each_policy'))
        then c.policy_id end as policy_id,
      h.coverage_state, count(*) as items, count(*) filter (where h.gap < 0) as over_items,
      sum(h.value) as value, sum(h.gap) as gap, sum(h.purchase_price) as purchase_price, sum(h.replacement_cost) as replacement_cost,
      sum(h.book_value) as book_value, sum(h.declared) as declared, sum(c.declared) as under_policies,
      count(*) filter (where c.lacks_amount) as without_amount, count(*) filter (where c.is_repeated) as repeated
    from (
      select v.item_id, v.category, v.location_id, v.value_source, v.coverage_state, v.current_estimated_value::numeric as value,
        v.gap_amount as gap, v.purchase_price::numeric as purchase_price, v.replacement_cost::numeric as replacement_cost,
        v.book_value::numeric as book_value, v.reported_insured_value::numeric as declared
      from app.item_valuations v
      where sums_on.day is null and v.studio_id = studio and not v.is_archived
      union all
      select i.id, i.category, i.location_id, i.value_source, i.coverage_state, i.current_estimated_value, i.gap_amount,
        i.purchase_price, i.replacement_cost, i.book_value, i.reported_insured_value
      from valuation.assess_items(sums_on.day) as i
      where sums_on.day between '0001-01-01' and '9999-12-31'
    ) as h
    left join pg_catalog.unnest(readings) as reading (by) on not alone
    left join (
      select c.item_id, false as is_each,
        -- PostgreSQL before 18 has no min(uuid).
        pg_catalog.substr(min(case when 'policy' = any (sums_on.by) then (not c.is_primary)::integer || c.policy_id::text end
          collate "C"), 2) as policy_id,
        sum(c.declared_value) as declared, pg_catalog.bool_or(c.declared_value is null) as lacks_amount,
        pg_catalog.bool_or(c.assignments > 1) as is_repeated
      from cover c
      group by c.item_id
      union all
      select c.item_id, true, c.policy_id::text, c.declared_value, c.declared_value is null, c.assignments > 1
      from cover c
      where 'each_policy' = any (sums_on.by)
    ) as c on c.item_id = h.item_id and c.is_each = (not alone and reading.by = 'each_policy')
    where (sums_on.category is null or h.category = sums_on.category)
      and (sums_on.coverage_state is null or h.coverage_state = sums_on.coverage_state)
      and (sums_on.policy_id is null or c.item_id is not null)
    group by 1, 2, 3, 4, 5, 6
  ), grouped as (
    select g.grouped_by, g.key, c.*
    from cells c
    cross join lateral (values
      ('total', null, readings[1]), ('category', c.category, 'kind'), ('location', c.location_id::text, 'place'),
      ('coverage_state', c.coverage_state, readings[1]), ('value_source', c.value_source, 'kind'),
      ('policy', c.policy_id, 'policy'), ('each_policy', c.policy_id, 'each_policy')
    ) as g (grouped_by, key, reading)
    where g.grouped_by = any (sums_on.by) and g.reading = c.reading
    union all
    select 'location_with_sublocations', w.whole::text, c.*
    from cells c
    left join (
      select t.id, pg_catalog.unnest(t.within) as whole from service.location_tree t
    ) as w on w.id = c.location_id
    where 'location_with_sublocations' = any (sums_on.by) and c.reading = 'place'
    union all
    select 'total', null, null, null, null, null, null, null, 0, 0, null, null, null, null, null, null, null, 0, 0
    where 'total' = any (sums_on.by) and decimals is not null -- of a studio
  )
  select
    g.grouped_by, g.key, sum(g.items)::integer,
    round(coalesce(sum(g.value), 0), decimals),
    round(coalesce(sum(g.purchase_price), 0), decimals),
    round(coalesce(sum(g.replacement_cost), 0), decimals),
    round(coalesce(sum(g.book_value), 0), decimals),
    round(coalesce(sum(g.declared), 0), decimals),
    coalesce(sum(g.items) filter (where g.coverage_state = 'under_covered'), 0)::integer,
    round(coalesce(sum(g.gap) filter (where g.coverage_state = 'under_covered'), 0), decimals),
    coalesce(sum(g.items) filter (where g.coverage_state = 'uninsured'), 0)::integer,
    round(coalesce(sum(g.gap) filter (where g.coverage_state = 'uninsured'), 0), decimals),
    round(coalesce(sum(g.gap) filter (where g.coverage_state in ('under_covered', 'uninsured')), 0), decimals),
    sum(g.over_items)::integer,
    round(coalesce(-sum(g.gap) filter (where g.coverage_state = 'fully_covered'), 0), decimals),
    coalesce(sum(g.items) filter (where coalesce(g.coverage_state, 'value_unknown') = 'value_unknown'), 0)::integer,
    round(coalesce(sum(g.declared) filter (where coalesce(g.coverage_state, 'value_unknown') = 'value_unknown'), 0), decimals),
    case when sums_on.with_cover then round(coalesce(sum(g.under_policies), 0), decimals) end,
    case when sums_on.with_cover then sum(g.without_amount)::integer end,
    case when sums_on.with_cover then sum(g.repeated)::integer end
  from grouped g
  group by g.grouped_by, g.key
  order by pg_catalog.array_position(sums_on.by, g.grouped_by), g.key;
end
$$;

comment on function api_v1.sums_on(date, text[], text, text, uuid, boolean) is
  'Counts of items and sums of their amounts, in total and in groups, at the end of a day; without one, today as the lists show it.';
--! EndIncluded api_v1/functions/sums_on.sql
--! Included api_v1/functions/depreciation_schedule.sql
-- The depreciation register for a range of days, with one row for each item in the books. It has
-- the columns of api_v1.depreciation_years by item. An archived item counts until it left.
--   from_day, to_day   no rows if one is null or outside the years 1 to 9999, or to_day is earlier
create or replace function api_v1.depreciation_schedule(from_day date, to_day date)
returns table (
  item_id uuid, name text, category text, acquisition_date date, disposed_on date, opening_cost numeric, additions numeric,
  disposed_cost numeric, closing_cost numeric, opening_accumulated numeric, charge numeric, disposed_accumulated numeric,
  closing_accumulated numeric, opening_value numeric, closing_value numeric, proceeds numeric, gain numeric
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    b.item_id, b.name, b.category, b.acquisition_date, b.disposed_on,
    round(b.opening_cost, a.minor_units),
    round(b.additions, a.minor_units),
    round(b.disposed_cost, a.minor_units),
    round(b.closing_cost, a.minor_units),
    round(b.opening_accumulated, a.minor_units),
    round(b.charge, a.minor_units),
    round(b.disposed_accumulated, a.minor_units),
    round(b.closing_accumulated, a.minor_units),
    round(b.opening_value, a.minor_units),
    round(b.closing_value, a.minor_units),
    round(b.proceeds, a.minor_units),
    round(b.proceeds - (b.disposed_cost - b.disposed_accumulated), a.minor_units)
  from valuation.depreciation_between(from_day, to_day) as b
  cross join access.current_account() as a
  where from_day >= '0001-01-01' and to_day <= '9999-12-30';
end;

comment on function api_v1.depreciation_schedule(date, date) is
  'The register of depreciation from one day to another, one row for each item in the books.';
--! EndIncluded api_v1/functions/depreciation_schedule.sql
--! Included api_v1/views/workings.sql
-- Why each item is worth what the API shows today. A condition on item_id skips the other items.
create or replace view api_v1.workings with (security_invoker = true) as
select
  i.id as item_id, t.today as as_of,
  i.purchase_price::numeric as purchase_price, i.acquisition_date, (e.breakdown).depreciation_method,
  (e.breakdown).useful_life_months, e.useful_life_from, (e.breakdown).residual_value::numeric as residual_value,
  e.residual_value_from, t.financial_year_start_month,
  (e.breakdown).market_value::numeric as market_value, i.market_value_as_of::timestamptz as market_value_as_of,
  e.manual_value, i.replacement_cost::numeric as replacement_cost,
  i.reported_insured_value::numeric as reported_insured_value,
  (e.breakdown).depreciates_from, pg_catalog.trim_scale((e.breakdown).months) as months,
  (e.breakdown).annual_rate, e.first_year_months,
  (e.breakdown).past_years, e.period_starts_on,
  (e.breakdown).opening_value, (e.breakdown).charge,
  pg_catalog.trim_scale((e.breakdown).months_in_period) as months_in_period,
  pg_catalog.trim_scale((e.breakdown).period_months) as period_months,
  (e.breakdown).depreciated_value::numeric as depreciated_value,
  (e.breakdown).current_estimated_value::numeric as current_estimated_value, (e.breakdown).value_source,
  (e.breakdown).coverage_state, (e.breakdown).gap_amount::numeric as gap_amount, e.passed_over,
  e.opening_arithmetic, e.charge_arithmetic, e.arithmetic, (e.breakdown).changed_on
from app.items i
left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
-- An inner join would let the planner, which has no statistics, read the items by category.
left join valuation.current_terms() as t on t.category = i.category
-- With a sub-select, PostgreSQL could not share the items among parallel workers.
cross join lateral valuation.explain_item(
  i.purchase_price, i.acquisition_date, i.depreciation_method, i.useful_life_months, i.residual_value, i.depreciation_rate,
  i.switches_to_straight_line, i.depreciation_changes, i.market_value, i.market_value_as_of,
  -- If a later source won, there is no manual value. If the manual value won, it is the value.
  case when v.value_source in ('depreciated', 'purchase_price', 'replacement_cost', 'unknown') then null
    when v.value_source = 'manual' then v.current_estimated_value::numeric
    else valuation.manual_value_of(i.id) end,
  i.replacement_cost, i.reported_insured_value, i.category, t.useful_life_months, t.residual_rate, t.studio, t.today) as e
where i.archived_at is null;

comment on view api_v1.workings is
  'Why each item is worth what it is today: the inputs, the source that won, those passed over, the arithmetic.';
comment on column api_v1.workings.item_id is 'The item, joins items.id.';
comment on column api_v1.workings.as_of is 'Today on the studio''s calendar.';
comment on column api_v1.workings.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.workings.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.workings.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.workings.useful_life_months is 'Useful life in months.';
comment on column api_v1.workings.useful_life_from is 'Whose useful life that is: item or category.';
comment on column api_v1.workings.residual_value is 'Residual value, at which depreciation stops.';
comment on column api_v1.workings.residual_value_from is
  'Whose residual value that is: item or category (a share of the purchase price).';
comment on column api_v1.workings.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio has named none.';
comment on column api_v1.workings.market_value is 'The market value; null when there is none.';
comment on column api_v1.workings.market_value_as_of is
  'When the market value was last refreshed; null when there is none.';
comment on column api_v1.workings.manual_value is 'What the studio values it at; null when it does not.';
comment on column api_v1.workings.replacement_cost is 'What a new one costs; null when not recorded.';
comment on column api_v1.workings.reported_insured_value is 'Value reported as insured; 0 when none is.';
comment on column api_v1.workings.depreciates_from is
  'Day from which months count; null when the item does not depreciate.';
comment on column api_v1.workings.months is 'Months of depreciation since then; negative before.';
comment on column api_v1.workings.annual_rate is 'Annual rate of a declining method; null with another.';
comment on column api_v1.workings.first_year_months is
  'Months in the first year: 12, or those left in its financial year; null without a declining method.';
comment on column api_v1.workings.past_years is
  'Years before the period below; null without a declining method.';
comment on column api_v1.workings.period_starts_on is
  'First day of the period below: of the useful life by the straight line, else of the year.';
comment on column api_v1.workings.opening_value is 'Value at the beginning of that period, not rounded.';
comment on column api_v1.workings.charge is 'What the whole period takes off, not rounded.';
comment on column api_v1.workings.months_in_period is 'Months of the period that are over.';
comment on column api_v1.workings.period_months is 'Months in the period: by the floor of the straight line, until the residual value.';
comment on column api_v1.workings.depreciated_value is
  'opening_value - charge * months_in_period / period_months, half-up to cents.';
comment on column api_v1.workings.current_estimated_value is
  'What the item is worth today: the value of the source that won; null when unknown.';
comment on column api_v1.workings.value_source is
  'Source of the value: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.workings.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.workings.gap_amount is 'Estimated value minus insured value; null when the value is unknown.';
comment on column api_v1.workings.passed_over is 'The other sources in order, each with the reason why it does not count.';
comment on column api_v1.workings.opening_arithmetic is
  'Calculation of opening_value, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.charge_arithmetic is
  'Calculation of charge, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.changed_on is
  'Day from which method, life, residual value and rate apply; null: from the beginning.';
comment on column api_v1.workings.arithmetic is 'Calculation of the value, in one line.';
--! EndIncluded api_v1/views/workings.sql
--! Included api_v1/views/depreciation_schedule.sql
-- How every item depreciates, month by month. A condition on item_id skips the other items.
create or replace view api_v1.depreciation_schedule with (security_invoker = true) as
select
  i.id as item_id, m.month, m.starts_on, m.ends_on, m.opening_value::numeric as opening_value,
  m.charge::numeric as charge, m.closing_value::numeric as closing_value
from app.items i
cross join lateral valuation.depreciation_months(i.id) as m
where i.archived_at is null;

comment on view api_v1.depreciation_schedule is 'The depreciation of each item, month by month until its residual value. Ask for one item.';
comment on column api_v1.depreciation_schedule.item_id is 'The item, joins items.id.';
comment on column api_v1.depreciation_schedule.month is 'Which month of the item''s life, from 1.';
comment on column api_v1.depreciation_schedule.starts_on is 'First day of the month.';
comment on column api_v1.depreciation_schedule.ends_on is 'Last day of the month, at whose end the charge is made.';
comment on column api_v1.depreciation_schedule.opening_value is 'Value at the beginning of the month.';
comment on column api_v1.depreciation_schedule.charge is 'What the month takes off.';
comment on column api_v1.depreciation_schedule.closing_value is 'Value at the end of the month.';
--! EndIncluded api_v1/views/depreciation_schedule.sql
--! Included api_v1/views/depreciation_years.sql
-- The reconciliation by financial year and category. Reading one year computes all, because each
-- year opens with the closing values of the previous one.
create or replace view api_v1.depreciation_years with (security_invoker = true) as
select
  y.year_start, y.year_end, y.category, y.items,
  round(y.opening_cost, a.minor_units) as opening_cost,
  round(y.additions, a.minor_units) as additions,
  round(y.disposed_cost, a.minor_units) as disposed_cost,
  round(y.closing_cost, a.minor_units) as closing_cost,
  round(y.opening_accumulated, a.minor_units) as opening_accumulated,
  round(y.charge, a.minor_units) as charge,
  round(y.disposed_accumulated, a.minor_units) as disposed_accumulated,
  round(y.closing_accumulated, a.minor_units) as closing_accumulated,
  round(y.opening_value, a.minor_units) as opening_value,
  round(y.closing_value, a.minor_units) as closing_value,
  round(y.proceeds, a.minor_units) as proceeds,
  round(y.proceeds - (y.disposed_cost - y.disposed_accumulated), a.minor_units) as gain
from valuation.depreciation_years() as y
cross join access.current_account() as a;

comment on view api_v1.depreciation_years is
  'Cost, accumulated depreciation and carrying amount by financial year and category, with additions, disposals and charges.';
comment on column api_v1.depreciation_years.year_start is
  'First day of the financial year; of the calendar year when the studio has named no first month.';
comment on column api_v1.depreciation_years.year_end is 'Last day of the financial year.';
comment on column api_v1.depreciation_years.category is 'One of the 16 categories.';
comment on column api_v1.depreciation_years.items is 'Number of items that depreciate, in the books at the end of the year.';
comment on column api_v1.depreciation_years.opening_cost is 'Purchase prices of the items in the books at the beginning of the year.';
comment on column api_v1.depreciation_years.additions is 'Purchase prices of the items acquired during the year.';
comment on column api_v1.depreciation_years.disposed_cost is 'Purchase prices of the items disposed of or archived during the year.';
comment on column api_v1.depreciation_years.closing_cost is 'Opening cost and additions less disposed cost.';
comment on column api_v1.depreciation_years.opening_accumulated is 'Depreciation until the beginning of the year.';
comment on column api_v1.depreciation_years.charge is 'Depreciation of the year; of disposed items until their disposal.';
comment on column api_v1.depreciation_years.disposed_accumulated is 'Depreciation of the disposed items until their disposal.';
comment on column api_v1.depreciation_years.closing_accumulated is 'Opening accumulated and charge less disposed accumulated.';
comment on column api_v1.depreciation_years.opening_value is 'Carrying amount at the beginning: opening cost less accumulated.';
comment on column api_v1.depreciation_years.closing_value is 'Carrying amount at the end: closing cost less accumulated.';
comment on column api_v1.depreciation_years.proceeds is 'Proceeds of disposals; 0 where nothing is recorded.';
comment on column api_v1.depreciation_years.gain is 'Proceeds less the carrying amount of the disposed items; negative for a loss.';
--! EndIncluded api_v1/views/depreciation_years.sql
--! Included api_v1/views/depreciation_changes.sql
-- Changes of estimate that are dated.
create or replace view api_v1.depreciation_changes with (security_invoker = true) as
select
  c.id, c.item_id, c.effective_on, c.depreciation_method, c.useful_life_months, c.residual_value::numeric as residual_value,
  c.depreciation_rate, c.switches_to_straight_line
from app.depreciation_changes c
where c.effective_on is not null;

comment on view api_v1.depreciation_changes is 'Changes of how items depreciate, each from its day on; null is as before.';
comment on column api_v1.depreciation_changes.id is 'Unique id: the key of this view.';
comment on column api_v1.depreciation_changes.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.depreciation_changes.effective_on is 'Day from which the change applies.';
comment on column api_v1.depreciation_changes.depreciation_method is 'The new method; null: as before.';
comment on column api_v1.depreciation_changes.useful_life_months is 'The new useful life, since the acquisition; null: as before.';
comment on column api_v1.depreciation_changes.residual_value is 'The new residual value; null: as before.';
comment on column api_v1.depreciation_changes.depreciation_rate is 'The new rate, percent a year; null: as before.';
comment on column api_v1.depreciation_changes.switches_to_straight_line is
  'Whether straight line takes over: yes, once an even spread of the rest charges more; floor; no; null: as before.';
--! EndIncluded api_v1/views/depreciation_changes.sql
--! Included api_v1/views/closed_values.sql
-- The values at the end of each closed month: the latest row of each item at or before it, with the row that describes
-- it. A month shows only when it is completely closed. The order of months and items comes before their values, so
-- that a page does not read a whole month. The left join is always met: PostgreSQL leaves it out of a sum of values.
create or replace view api_v1.closed_values with (security_invoker = true) as
select
  held.month_end, held.item_id, d.name, d.category,
  v.current_estimated_value::numeric as current_estimated_value, d.value_source, d.coverage_state,
  d.reported_insured_value::numeric as reported_insured_value,
  v.current_estimated_value - d.reported_insured_value as gap_amount, d.currency,
  d.purchase_price::numeric as purchase_price, d.acquisition_date, d.depreciation_method, d.useful_life_months,
  d.residual_value::numeric as residual_value, d.financial_year_start_month,
  v.market_value::numeric as market_value, v.market_value_as_of, d.manual_value::numeric as manual_value,
  d.replacement_cost::numeric as replacement_cost, held.closed_at, d.depreciation_rate,
  d.switches_to_straight_line, d.first_period
from (
  select c.studio_id, c.month_end, c.closed_at, f.item_id
  from app.closings c
  join app.closed_values f on f.studio_id = c.studio_id and f.is_first and f.month_end <= c.month_end
  order by c.month_end, f.item_id
) as held
cross join lateral (
  select l.studio_id, l.item_id, l.described_in, l.current_estimated_value, l.market_value, l.market_value_as_of
  from app.closed_values l
  where l.studio_id = held.studio_id and l.item_id = held.item_id and l.month_end <= held.month_end
  order by l.month_end desc limit 1
) as v
left join app.closed_values d on d.studio_id = v.studio_id and d.item_id = v.item_id and d.month_end = v.described_in
where v.described_in is not null;

comment on view api_v1.closed_values is
  'The value of every item at the end of each closed month, with its inputs. It never changes.';
comment on column api_v1.closed_values.month_end is 'Last day of the month.';
comment on column api_v1.closed_values.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.closed_values.name is 'Name of the item at the time.';
comment on column api_v1.closed_values.category is 'Category of the item at the time.';
comment on column api_v1.closed_values.current_estimated_value is
  'What the item was worth at the end of the month; null when that was not known.';
comment on column api_v1.closed_values.value_source is
  'Where the estimate came from: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.closed_values.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.closed_values.reported_insured_value is 'Value reported as insured; 0 when none was.';
comment on column api_v1.closed_values.gap_amount is
  'Estimated value minus insured value; negative when more was declared.';
comment on column api_v1.closed_values.currency is 'Currency of the amounts, ISO 4217.';
comment on column api_v1.closed_values.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.closed_values.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.closed_values.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.closed_values.useful_life_months is 'Useful life in months, of the item or its category.';
comment on column api_v1.closed_values.residual_value is 'Residual value, of the item or its category.';
comment on column api_v1.closed_values.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio had named none.';
comment on column api_v1.closed_values.market_value is 'Market value that was known; null when there was none.';
comment on column api_v1.closed_values.market_value_as_of is 'When that market value was of; null when there was none.';
comment on column api_v1.closed_values.manual_value is 'What the studio valued it at; null when it did not.';
comment on column api_v1.closed_values.replacement_cost is 'What a new one cost; null when not recorded.';
comment on column api_v1.closed_values.depreciation_rate is
  'Rate set for a declining method, percent a year; null without one.';
comment on column api_v1.closed_values.switches_to_straight_line is
  'Whether straight line took over from a declining method: yes, no or floor; null by another method.';
comment on column api_v1.closed_values.first_period is
  'How the first period counted: full_month, half_year, mid_month or day.';
comment on column api_v1.closed_values.closed_at is
  'When the month was closed: soon after its end, or when the service ran again.';
--! EndIncluded api_v1/views/closed_values.sql
--! Included valuation/functions/corrections_of.sql
-- Compares a closed month of the session's studio with what today's records give for it.
-- Returns one row for each item that differs, with the inputs that changed. If somebody added the item
-- since, its closed columns are null; if somebody removed it, the corrected ones are.
--   difference  null if the studio's currency was another when the month was closed
create or replace function valuation.corrections_of(month_end date)
returns table (
  item_id uuid, name text, category text, closed_currency text, closed_value numeric, closed_value_source text,
  closed_insured_value numeric, closed_coverage_state text, currency text, corrected_value numeric, corrected_value_source text,
  corrected_insured_value numeric, corrected_coverage_state text, difference numeric, changed text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    coalesce(c.item_id, (v.item).id), coalesce((v.item).name, c.name), coalesce((v.item).category, c.category),
    c.currency, c.current_estimated_value, c.value_source, c.reported_insured_value, c.coverage_state,
    (v.studio).currency, (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.item).reported_insured_value,
    (v.breakdown).coverage_state,
    case when c.currency <> (v.studio).currency then null
      else round(coalesce((v.breakdown).current_estimated_value, 0) - coalesce(c.current_estimated_value, 0),
        app.minor_units(coalesce((v.studio).currency, c.currency))) end,
    case when c.item_id is null then array['added'] when (v.item).id is null then array['removed'] else array(
      select input.name
      from (values
        ('currency', c.currency, (v.studio).currency),
        ('purchase_price', trim_scale(c.purchase_price)::text, trim_scale((v.item).purchase_price)::text),
        ('acquisition_date', c.acquisition_date::text, (v.item).acquisition_date::text),
        ('depreciation_method', c.depreciation_method, (v.breakdown).depreciation_method),
        ('useful_life_months', c.useful_life_months::text, (v.breakdown).useful_life_months::text),
        ('residual_value', trim_scale(c.residual_value)::text, trim_scale((v.breakdown).residual_value)::text),
        ('financial_year_start_month', c.financial_year_start_month::text, (v.studio).financial_year_start_month::text),
        ('depreciation_rate', trim_scale(c.depreciation_rate)::text, trim_scale((v.breakdown).given_rate)::text),
        ('switches_to_straight_line', c.switches_to_straight_line::text, (v.breakdown).switches::text),
        ('first_period', c.first_period, (v.studio).first_period),
        ('market_value', trim_scale(c.market_value)::text, trim_scale((v.breakdown).market_value)::text),
        ('manual_value', trim_scale(c.manual_value)::text, trim_scale((v.item).manual_value)::text),
        ('replacement_cost', trim_scale(c.replacement_cost)::text, trim_scale((v.item).replacement_cost)::text),
        ('reported_insured_value', trim_scale(c.reported_insured_value)::text, trim_scale((v.item).reported_insured_value)::text)
      ) as input (name, closed, now)
      where input.closed is distinct from input.now) end
  from (select * from api_v1.closed_values where closed_values.month_end = corrections_of.month_end) as c
  full join valuation.value_items(corrections_of.month_end) as v on (v.item).id = c.item_id
  where c.item_id is distinct from (v.item).id
    or c.currency is distinct from (v.studio).currency
    or c.current_estimated_value is distinct from (v.breakdown).current_estimated_value
    or c.value_source is distinct from (v.breakdown).value_source
    or c.reported_insured_value is distinct from (v.item).reported_insured_value
    or c.coverage_state is distinct from (v.breakdown).coverage_state;
end;

comment on function valuation.corrections_of(date) is
  'What the rules say today of a closed month, where that is not what was closed.';
--! EndIncluded valuation/functions/corrections_of.sql
--! Included api_v1/views/corrections.sql
-- Corrections of closed months: where today's rules give another value for the end of the month. A
-- condition on month_end skips the other months.
create or replace view api_v1.corrections with (security_invoker = true) as
select
  c.month_end, x.item_id, x.name, x.category,
  x.closed_value::numeric as closed_value, x.closed_value_source,
  x.closed_insured_value::numeric as closed_insured_value, x.closed_coverage_state, x.closed_currency,
  x.corrected_value::numeric as corrected_value, x.corrected_value_source,
  x.corrected_insured_value::numeric as corrected_insured_value, x.corrected_coverage_state,
  x.currency as corrected_currency, x.difference::numeric as difference, x.changed, c.closed_at
from app.closings c
cross join lateral valuation.corrections_of(c.month_end) as x;

comment on view api_v1.corrections is
  'Where today''s records say something else of a closed month than what was closed.';
comment on column api_v1.corrections.month_end is 'Last day of the month.';
comment on column api_v1.corrections.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.corrections.name is 'Name of the item.';
comment on column api_v1.corrections.category is 'Category of the item.';
comment on column api_v1.corrections.closed_value is
  'Closed value; null when none was known or the item was not in the inventory.';
comment on column api_v1.corrections.closed_value_source is 'Its source; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_insured_value is
  'Closed insured value; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_coverage_state is
  'Closed coverage state; null when the item was not in the inventory.';
comment on column api_v1.corrections.closed_currency is
  'Closed currency; null when the item was not in the inventory.';
comment on column api_v1.corrections.corrected_value is
  'What today''s records say of the end of that month; null when none is known or the item is not there.';
comment on column api_v1.corrections.corrected_value_source is 'Its source; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_insured_value is
  'Today''s insured value; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_coverage_state is
  'Coverage state by today''s records; null when the item is not in the inventory.';
comment on column api_v1.corrections.corrected_currency is 'Today''s currency; null when the item is not in the inventory.';
comment on column api_v1.corrections.difference is
  'Corrected minus closed value, none counting as 0; null between two currencies.';
comment on column api_v1.corrections.changed is
  'Which inputs have changed since; added or removed for an item that was not or is not there.';
comment on column api_v1.corrections.closed_at is 'When the month was closed.';
--! EndIncluded api_v1/views/corrections.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with the members of "detail" below, and its
-- photos' storage keys.
-- If the valuation or the photos cannot be read, or are locked for half a second, the item comes
-- without them: null and empty. A warning SI206 then tells the service to log and count it, and a
-- null version not to cache it. 404 alike for null (a malformed id), unknown, archived and another
-- studio's.
--   client_address  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only"; "When the valuation projection
-- is unavailable, only … the valuation fields are null"; "photo_urls … empty array when … signing
-- fails".
create or replace function api_v1.get_item(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
  listed text;
  valuation record;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- The answer needs this row, so the usual lock_timeout holds. The view must not read the
  -- valuation's table: a lock on it would delay the item.
  select d.document into listed from service.item_documents d where d.id = id;
  if not found then
    answer.status := 404;
    return answer;
  end if;

  select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
    null::numeric as gap_amount into valuation;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from service.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'valuation';
    answer.version := null;
  end;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    answer.photo_keys := array(
      select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'photos';
    answer.photo_keys := '{}';
    answer.version := null;
  end;

  answer.data := pg_catalog.left(listed, -1) || ',' || pg_catalog.substr(row_to_json((select detail from (select
    valuation.current_estimated_value, valuation.value_source, null as agreed_value_from_policy,
    valuation.coverage_state, valuation.gap_amount
  ) as detail))::text, 2);
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, inet) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: all assignments of a live item, the primary one first. Looks up the
-- item first; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  perform from service.item_documents d where d.id = id;
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

comment on function api_v1.list_item_policies(bytea, uuid, inet) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio, with its number of assignments; 0 and a warning
-- SI206, which the service logs and counts, if they cannot be counted. 404 alike for null (a
-- malformed id), unknown and another studio's.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is
-- still returned)."
create or replace function api_v1.get_policy(
  token_digest bytea, id uuid, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
  assignments bigint := 0;
begin
  if answer.status <> 200 then
    return answer;
  end if;

  begin
    select count(*) into assignments from api_v1.assignments a where a.policy_id = id;
  exception when others then
    raise warning 'a policy is shown without its assignments: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'assignments_count';
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

comment on function api_v1.get_policy(bytea, uuid, inet) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(
  token_digest bytea, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      (select coalesce(sum(c.items), 0) from service.item_counts c where c.category = '*' and c.coverage_state = '*')
        as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, inet) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql
--! Included api_v1/functions/get_valuation_summary.sql
-- GET /valuations/summary: counts and sums of a day in groups that add up to the total, the most
-- valuable group first (api_v1.sums_on()).
--   by    category, location, coverage_state, value_source, or policy (one that covers the item on the
--         day). A group's key is null for items that have none
--   "on"  the end of a day, past or future, with today's assignments; null: today as the list shows it
--   category, coverage_state   only such items; null: all
create or replace function api_v1.get_valuation_summary(
  token_digest bytea, by text default 'category', "on" date default null, category text default null,
  coverage_state text default null, client_address inet default null
) returns access.operation_row
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  with shown as (
    select s.grouped_by = 'total' as is_total, s.key, s.estimated_value, row_to_json((select numbers from (select
      s.items, s.estimated_value, s.purchase_price, s.replacement_cost, s.book_value, s.reported_insured_value,
      s.under_declared_items, s.under_declared, s.not_declared_items, s.not_declared, s.over_declared_items, s.over_declared,
      s.without_value_items, s.without_value_declared
    ) as numbers))::text as numbers
    from api_v1.sums_on("on", array[by, 'total'], category, coverage_state) as s
  )
  select pg_catalog.format('{"by":%s,"currency":%s,"groups":[%s],"total":%s}',
    pg_catalog.to_json(by), (select pg_catalog.to_json(a.currency) from access.current_account() a),
    pg_catalog.string_agg(
      pg_catalog.format('{"key":%s,%s', coalesce(pg_catalog.to_json(s.key)::text, 'null'), pg_catalog.substr(s.numbers, 2)),
      ',' order by s.estimated_value desc, s.key) filter (where not s.is_total),
    pg_catalog.min(s.numbers) filter (where s.is_total))
  into answer.data from shown s;
  return answer;
end
$$;

comment on function api_v1.get_valuation_summary(bytea, text, date, text, text, inet) is
  'GET /valuations/summary: numbers of items and sums of amounts, in groups and in all.';
--! EndIncluded api_v1/functions/get_valuation_summary.sql

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
-- The roles through which outsiders reach the data. audit.column_grant_beyond_the_list checks what
-- a login may do beyond its group.
create or replace view audit.exposed_roles with (security_invoker = true) as
select r.oid as role, r.rolname as name
from pg_catalog.pg_roles r
where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql',
  'studio_analyst', 'studio_auditor');

comment on view audit.exposed_roles is 'The roles through which somebody outside reaches the data.';
--! EndIncluded audit/views/exposed_roles.sql
--! Included audit/views/backup_policies.sql
-- The policies that let studio_backup read, and nobody else: one that names a second role or writes
-- is not among them.
create or replace view audit.backup_policies with (security_invoker = true) as
select p.oid as policy
from pg_catalog.pg_policy p
join pg_catalog.pg_roles r on r.rolname = 'studio_backup' and p.polroles = array[r.oid]
where p.polcmd = 'r';

comment on view audit.backup_policies is 'The policies by which a backup reads every row.';
--! EndIncluded audit/views/backup_policies.sql
--! Included audit/views/memberships.sql
-- Says which role can act as which other, directly or through further roles. Two kinds of membership are
-- not here: one that only lets its holder add members, and that of the owner in an analyst's login, by
-- which it watches that login (audit.set_server_rights()). Before version 16, every membership lets its
-- holder act as the role.
create or replace view audit.memberships with (security_invoker = true) as
with recursive usable (member, role) as (
  select m.member, m.roleid
  from pg_catalog.pg_auth_members m
  where (coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
      or coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true))
    and not exists (
      select from pg_catalog.pg_roles o
      join pg_catalog.pg_roles login on login.oid = m.roleid and login.rolname ~ '^analyst_[0-9a-f]{12}$'
      where o.oid = m.member and o.rolname = 'studio_owner')
), reached (member, role) as (
  select u.member, u.role from usable u
  union
  select r.member, u.role from reached r join usable u on u.member = r.role
)
select r.member, r.role from reached r;

comment on view audit.memberships is 'Who can act as whom, directly or by way of others.';
--! EndIncluded audit/views/memberships.sql
--! Included audit/views/outsiders.sql
-- The exposed roles, and every login or group that can act as one. Omits administrators
-- (superusers, and roles that may create roles), who can become any role.
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
-- Relations with rows that an exposed role can read or write, by a grant to the role or to
-- everybody, on the relation or a column. A relation in another owner's schema counts only if the role
-- has USAGE on the schema.
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
--! Included audit/views/view_columns.sql
-- Which columns of which tables each view reads, itself or through other views. Views run with
-- their caller's rights, so these are the columns that a reader of the view needs.
create or replace view audit.view_columns with (security_invoker = true) as
with recursive direct as (
  select r.ev_class as view, d.refobjid as relation, d.refobjsubid as position
  from pg_catalog.pg_rewrite r
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjsubid > 0 and d.refobjid <> r.ev_class
), used as (
  select d.view, d.relation, d.position from direct d
  union
  select u.view, d.relation, d.position from used u join direct d on d.view = u.relation
)
select
  u.view, pg_catalog.format('%I.%I', vs.name, v.relname) as view_name,
  pg_catalog.format('%I.%I', ts.name, t.relname) as relation, a.attname::text as column_name
from used u
join pg_catalog.pg_class v on v.oid = u.view
join audit.covered_schemas vs on vs.schema = v.relnamespace
join pg_catalog.pg_class t on t.oid = u.relation and t.relkind in ('r', 'p')
join audit.covered_schemas ts on ts.schema = t.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = u.relation and a.attnum = u.position;

comment on view audit.view_columns is 'Which columns of tables each view reads, itself or through other views.';
--! EndIncluded audit/views/view_columns.sql
--! Included audit/views/hidden_columns.sql
-- No view may show these columns. '*' is the whole table. The writer reads those that it writes.
-- spec: "Never returned for a policy: owner_user_id, source_document_id, notes, studio_id"; "Never
-- returned for an assignment: its own row id, equipment_id, notes, internal timestamps".
create or replace view audit.hidden_columns with (security_invoker = true) as
select listed.relation, column_name
from (values
  ('access.analyst_log', '*'),
  ('access.analyst_logins', '*'),
  ('access.analyst_statements', '*'),
  ('access.audit_log', '*'),
  ('access.console_uploads', '*'),
  ('access.import_choices', '*'),
  ('access.members', '*'),
  ('access.request_activity', '*'),
  ('access.subscriptions', '*'),
  ('access.tokens', '*'),
  ('access.users', '*'),
  ('app.data_versions', '*'),
  ('app.studios', '*'),
  ('app.items', 'manual_value'),
  ('app.item_valuations', 'revalue_on'),
  ('app.market_values', 'source'),
  ('app.depreciation_changes', 'external_key'),
  ('app.policies', 'owner_user_id source_document_id notes external_key'),
  ('app.policy_assignments', 'id notes external_key created_at updated_at')
) as listed (relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name;

comment on view audit.hidden_columns is 'What no view may show; ''*'' is the whole table.';
--! EndIncluded audit/views/hidden_columns.sql
--! Included audit/views/allowed_privileges.sql
-- What each role may read and write at most: role × privilege × relation × column. '*' is the whole
-- relation, with columns that a later version adds. The list names the views of api_v1 and what the
-- writer writes. grants/ grants it, so a new grant is written twice on purpose. A role that reads a
-- view reads the columns under it, except hidden ones. The views of service are not in the list:
-- studio_api may read each of them. Nobody outside can write a statement of that role, so a view
-- there shows only what the REST service asks of it. The list of api_v1 stays, because analysts
-- write their own statements.
create or replace view audit.allowed_privileges with (security_invoker = true) as
with listed as (
  select role, privilege, listed.relation, column_name
  from (values
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
    ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_changes', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
    ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
    ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),

    -- These are the rights of the writer.
    ('studio_writer', 'SELECT', 'app.locations', '*'),
    ('studio_writer', 'SELECT', 'app.items', '*'),
    ('studio_writer', 'SELECT', 'app.item_photos', '*'),
    ('studio_writer', 'SELECT', 'app.market_values', '*'),
    ('studio_writer', 'SELECT', 'app.depreciation_changes', '*'),
    ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
    ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
    ('studio_writer', 'SELECT', 'app.policies', '*'),
    ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
    ('studio_writer', 'DELETE', 'app.locations', '*'),
    ('studio_writer', 'DELETE', 'app.item_photos', '*'),
    ('studio_writer', 'DELETE', 'app.market_values', '*'),
    ('studio_writer', 'DELETE', 'app.depreciation_changes', '*'),
    ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
    ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
    ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.locations',
      'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
       is_default'),
    ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.items',
      'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
       acquisition_date depreciation_method useful_life_months residual_value depreciation_rate
       switches_to_straight_line manual_value replacement_cost reported_insured_value disposed_on disposal_proceeds
       archived_at'),
    ('studio_writer', 'INSERT', 'app.depreciation_changes', 'studio_id id'),
    ('studio_writer', 'INSERT UPDATE', 'app.depreciation_changes',
      'external_key item_id effective_on depreciation_method useful_life_months residual_value depreciation_rate
       switches_to_straight_line'),
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
  -- The casts keep the definition the same after a dump and restore.
  select 'studio_api'::text, 'SELECT'::text, pg_catalog.format('%I.%I', n.nspname, c.relname), '*'::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'service' and c.relkind = 'v'
)
select role, privilege, relation, column_name from listed
union
select l.role, l.privilege, c.relation, c.column_name
from listed l
join audit.view_columns c on c.view_name = l.relation
where not exists (
  select from audit.hidden_columns h where h.relation = c.relation and h.column_name in (c.column_name, '*'))
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
--! Included audit/views/safe_versions.sql
-- For each major version the first minor one with the fixes that isolation relies on. Older majors
-- never got these fixes; newer ones always had them.
create or replace view audit.safe_versions with (security_invoker = true) as
select v.major, v.minor
from (values (15, 20), (16, 16), (17, 12), (18, 6)) as v (major, minor);

comment on view audit.safe_versions is 'The first safe minor version of each major version of PostgreSQL.';
--! EndIncluded audit/views/safe_versions.sql
--! Included audit/views/closed_functions.sql
-- The server's functions that everybody may call in a new database, and no outsider may call here:
-- each would show something of another studio, or stop something that others need; `why` says what.
-- audit.set_server_rights() revokes them, audit.catalog_function_open checks it. `observes` marks those
-- that show other sessions' work: members of pg_read_all_stats may still call them. `is_open`: everybody
-- may call it, because nobody has closed it or a superuser was missing.
create or replace view audit.closed_functions with (security_invoker = true) as
select
  p.oid as function, p.proname as name,
  pg_catalog.format('pg_catalog.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as signature,
  closed.observes,
  closed.why,
  p.proacl is null or exists (
    select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE') as is_open
from (values
  ('^lo_(creat|create|from_bytea)$', false, 'A large object has any size, and no limit of a login counts it.'),
  ('^pg_(try_)?advisory_(xact_)?lock', false, 'An advisory lock holds up a migration, the refresh of values, or another login.'),
  ('^pg_logical_emit_message$', false, 'A message of any size goes into the log that fills the disk and feeds the replicas.'),
  ('^pg_export_snapshot$', false, 'Each call makes a file on the server.'),
  ('^(pg_current_xact_id|txid_current)$', false, 'While a transaction id is held, no studio''s poll gets newer changes.'),
  -- The function that counts rows is not here: tools call it, and pg_class.reltuples shows the
  -- same.
  ('^pg_stat_get_(?!live_tuples$)', true, 'Statistics tell when another studio''s request came, and by which filter.'),
  ('^pg_(lock_status|prepared_xact|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked)$', true,
    'Locks tell what other sessions do at this moment.'),
  ('^pg_(last_committed_xact|xact_commit_timestamp|xact_commit_timestamp_origin|last_xact_replay_timestamp)$', true,
    'They tell when other studios'' changes were committed, also those of a past day.')
) as closed (pattern, observes, why)
join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ closed.pattern;

comment on view audit.closed_functions is 'Functions of the server that nobody outside may call here.';
--! EndIncluded audit/views/closed_functions.sql
--! Included audit/functions/set_server_rights.sql
-- Sets the rights that belong to the server and not to the database. A dump carries none of them
-- to another server, which has its own functions. `migrate` calls this on every run:
-- it closes the functions of audit.closed_functions and the languages to everybody, reserves
-- connections for the service (since version 16), and lets auditors see which columns have
-- statistics. Only a superuser may close functions. Where they stay open, analysts may not connect
-- to the database, unless analysts_on_open_server; everywhere else they may.
-- The owner may see and end all sessions, for access.watch_analysts and access.end_sessions; nobody
-- can log in as it. Since version 16 an administrator with CREATEROLE may grant that only if it holds
-- it with ADMIN. Else the owner becomes a member of the analysts' logins, whose sessions it then sees
-- and ends.
-- Since version 16 analysts may not become studio_analyst, also those of a restored backup of 15.
-- Returns how many functions and languages it closed; 0 where all were closed; null where functions
-- stay open.
create or replace function audit.set_server_rights(analysts_on_open_server boolean default false) returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  f record;
  closed integer := 0;
  stays_open boolean;
begin
  -- reserved_connections: every analyst's session may be open while the service starts.
  begin
    for f in
      select r.rolname
      from pg_catalog.pg_roles r
      join pg_catalog.pg_roles reserve on reserve.rolname = 'pg_use_reserved_connections'
      where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql')
        and not pg_catalog.pg_has_role(r.oid, reserve.oid, 'USAGE')
    loop
      execute pg_catalog.format('grant pg_use_reserved_connections to %I with inherit true, set false', f.rolname);
    end loop;
  exception when insufficient_privilege then
    null;
  end;

  if not (pg_catalog.pg_has_role('studio_owner', 'pg_signal_backend', 'USAGE')
    and pg_catalog.pg_has_role('studio_owner', 'pg_read_all_stats', 'USAGE'))
  then
    begin
      grant pg_signal_backend, pg_read_all_stats to studio_owner;
    exception when insufficient_privilege then
      for f in
        select r.rolname
        from access.analyst_logins l
        join pg_catalog.pg_roles r on r.rolname = l.login
        where not pg_catalog.pg_has_role('studio_owner', r.oid, 'USAGE')
      loop
        begin
          execute pg_catalog.format('grant %I to studio_owner', f.rolname);
        exception when insufficient_privilege then
          null; -- the watchdog says what it lacks
        end;
      end loop;
    end;
  end if;

  for f in
    select r.rolname
    from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles r on r.oid = m.member
    join access.analyst_logins l on l.login = r.rolname
    where m.roleid = 'studio_analyst'::regrole and (pg_catalog.to_jsonb(m) ->> 'set_option')::boolean
  loop
    execute pg_catalog.format('grant studio_analyst to %I with inherit true, set false', f.rolname);
  end loop;

  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    for f in select c.signature, c.observes from audit.closed_functions c where c.is_open loop
      execute pg_catalog.format('revoke execute on function %s from public', f.signature);
      if f.observes then
        execute pg_catalog.format('grant execute on function %s to pg_read_all_stats', f.signature);
      end if;
      closed := closed + 1;
    end loop;

    for f in
      select l.lanname
      from pg_catalog.pg_language l
      where l.lanname in ('sql', 'plpgsql')
        and (l.lanacl is null or exists (select from pg_catalog.aclexplode(l.lanacl) a where a.grantee = 0))
    loop
      execute pg_catalog.format('revoke usage on language %I from public', f.lanname);
      execute pg_catalog.format('grant usage on language %I to studio_owner', f.lanname);
      closed := closed + 1;
    end loop;

    -- Without a change there is nothing to grant again: a grant waits for others who change the row.
    if closed > 0 then
      grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id()
        to studio_owner;
      grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner;
      grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
    end if;
  end if;

  stays_open := exists (select from audit.closed_functions c where c.is_open);
  if pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT')
    is distinct from (analysts_on_open_server or not stays_open)
  then
    execute pg_catalog.format(case when stays_open and not analysts_on_open_server
      then 'revoke connect on database %I from studio_analyst'
      else 'grant connect on database %I to studio_analyst' end, pg_catalog.current_database());
  end if;
  return case when not stays_open then closed end;
end
$$;

comment on function audit.set_server_rights(boolean) is
  'Closes what the server leaves open to everybody, and returns how much it closed; null where it stays open.';

-- Gives everybody back the functions that audit.set_server_rights() closed, because pg_upgrade would
-- carry their rights to a server that has other functions. Returns how many it opened. Stop the
-- service and the analysts first; `migrate` closes the functions of the new server.
-- @throws 42501 without a superuser
create or replace function audit.reset_server_rights() returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  f record;
  opened integer := 0;
begin
  for f in select c.signature from audit.closed_functions c loop
    execute pg_catalog.format('revoke all on function %s from studio_owner, pg_read_all_stats', f.signature);
    execute pg_catalog.format('grant execute on function %s to public', f.signature);
    opened := opened + 1;
  end loop;
  return opened;
end
$$;

comment on function audit.reset_server_rights() is
  'Opens to everybody again what audit.set_server_rights() closed, before pg_upgrade.';
--! EndIncluded audit/functions/set_server_rights.sql
--! Included audit/rules/table_without_row_level_security.sql
-- Tables that an exposed role can reach without row-level security enabled and forced. Includes
-- materialised views and foreign tables, which cannot have it.
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
  'Without it, every role that can reach the table sees all studios'' rows. Unless it is forced, the owner''s functions '
    'and views do.' as why,
  case
    when t.kind in ('m', 'f') then pg_catalog.format('Revoke all on %s from %s.', t.name, t.roles)
    else pg_catalog.format(
      'alter table %1$s enable row level security; alter table %1$s force row level security;', t.name)
  end as remedy
from audit.exposed_tables t
where t.kind in ('m', 'f') or not t.enabled or not t.forced;

comment on view audit.table_without_row_level_security is
  'Tables that an exposed role can reach without row-level security enabled and forced.';
--! EndIncluded audit/rules/table_without_row_level_security.sql
--! Included audit/rules/policy_for_a_role.sql
-- Policies that do not apply to PUBLIC, except those by which a backup reads.
create or replace view audit.policy_for_a_role with (security_invoker = true) as
select
  'policy_for_a_role' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  'is not TO PUBLIC but TO ' || (
    select pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' order by r.rolname)
    from pg_catalog.pg_roles r where r.oid = any (p.polroles)) as finding,
  'On unpatched servers a role can remove policies that name it (DROP OWNED BY). Other roles would have other rules.' as why,
  pg_catalog.format('alter policy %I on %I.%I to %s;', p.polname, n.nspname, c.relname,
    case when exists (select from pg_catalog.pg_roles r where r.rolname = 'studio_backup' and r.oid = any (p.polroles))
      then 'studio_backup' else 'public' end) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where not 0::oid = any (p.polroles)
  and p.oid not in (select b.policy from audit.backup_policies b);

comment on view audit.policy_for_a_role is 'Policies that do not apply to PUBLIC and are not for backups.';
--! EndIncluded audit/rules/policy_for_a_role.sql
--! Included audit/rules/policy_not_comparing_studio_id.sql
-- Permissive policies that accept a row by anything but its studio. Compares the expression as the
-- server prints it, and the functions it depends on, so functions of the same name do not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'Only a policy that compares studio_id with the session''s studio keeps other studios'' rows out.' as why,
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
  where p.polpermissive and p.oid not in (select b.policy from audit.backup_policies b)
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- A policy without WITH CHECK checks written rows by its USING condition.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   -- PostgreSQL may print the expression under any search path. It must have these functions, no
   -- others, and no operator of another schema.
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
-- Reachable tables with row-level security, and app.studios, whose studio_hash does not identify
-- one studio: it is missing, computed from something else, or not unique.
create or replace view audit.studio_hash_not_exact with (security_invoker = true) as
select
  'studio_hash_not_exact' as rule,
  'error' as level,
  t.name as object,
  case
    when t.made is null then 'has no generated column studio_hash'
    when t.made <> t.expected then 'makes studio_hash from ' || t.made
    else 'accepts two studios with one studio_hash'
  end as finding,
  'Policies compare studio_hash before a reader''s conditions. If two studios share one, EXPLAIN ANALYZE and timing '
    'reveal one studio''s rows to the other.' as why,
  case
    when t.made = t.expected then pg_catalog.format('alter table %s add unique (studio_hash);', t.name)
    else pg_catalog.format('Replace the column: alter table %s add column studio_hash integer not null '
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

comment on view audit.studio_hash_not_exact is 'Tables whose studio_hash does not identify one studio.';
--! EndIncluded audit/rules/studio_hash_not_exact.sql
--! Included audit/rules/view_without_condition.sql
-- Reachable views from which PostgreSQL could merge a table into a reader's UNION ALL. There the
-- planner puts the policy's conditions after the reader's. A view with WHERE or JOIN is safe. The
-- rule refuses every set operation and ONLY, and a sub-select in FROM that the view does not join,
-- because it does not look inside them.
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
  'In a UNION ALL the server can evaluate a reader''s conditions before the policy, on all studios'' rows. EXPLAIN '
    'ANALYZE and timing then reveal them.' as why,
  'Make it a query of tables with a condition. It may always be true: where studio_id is not null.' as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    pg_catalog.string_agg(distinct t.oid::regclass::text collate "C", ', ') as sources,
    -- Quoted text could look like a clause, so this removes it.
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
  -- Materialized, so that PostgreSQL prints each view once and not for each condition below.
  offset 0
) as v
where v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M'
   or v.definition ~ '\mFROM ONLY\M'
   or v.definition ~ '\mFROM \(+\s*SELECT\M' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
   -- PostgreSQL indents the clauses of the view itself less than those of an inner query. A
   -- function in FROM is no table.
   or v.definition !~ '\n  WHERE ' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
     and v.definition !~ '\n   FROM [a-z_0-9.]+\(';

comment on view audit.view_without_condition is
  'Views whose table a reader''s UNION ALL could absorb.';
--! EndIncluded audit/rules/view_without_condition.sql
--! Included audit/rules/permissive_policies_that_add_up.sql
-- Tables with more than one permissive policy for the same command, but for that of backups.
create or replace view audit.permissive_policies_that_add_up with (security_invoker = true) as
select
  'permissive_policies_that_add_up' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('has %s permissive policies for one command: %s', pg_catalog.count(*),
    pg_catalog.string_agg(pg_catalog.quote_ident(p.polname), ', ' order by p.polname)) as finding,
  'A row passes if any permissive policy accepts it, so a second policy can only show more rows.'
    as why,
  pg_catalog.format('Drop all of them on %I.%I but one, or make the others restrictive.', n.nspname, c.relname) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where p.polpermissive and p.oid not in (select b.policy from audit.backup_policies b) and exists (
  select from pg_catalog.pg_policy other
  where other.polrelid = p.polrelid and other.oid <> p.oid and other.polpermissive
    and other.oid not in (select b.policy from audit.backup_policies b)
    and (other.polcmd = p.polcmd or '*' in (other.polcmd, p.polcmd)))
group by n.nspname, c.relname;

comment on view audit.permissive_policies_that_add_up is 'Tables on which several permissive policies apply at once.';
--! EndIncluded audit/rules/permissive_policies_that_add_up.sql
--! Included audit/rules/view_not_invoker.sql
-- Views that read with their owner's rights, in the owner's schemas or readable by an exposed role.
create or replace view audit.view_not_invoker with (security_invoker = true) as
select
  'view_not_invoker' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  'reads with the rights of its owner, ' || pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner)) as finding,
  'The owner may read every column. If the owner is a superuser, row-level security does not apply.' as why,
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
-- Objects in the schemas of studio_owner that another role owns, a superuser's objects elsewhere
-- that an exposed role can run with the superuser's rights, and databases of an exposed role.
create or replace view audit.wrong_owner with (security_invoker = true) as
select
  'wrong_owner' as rule,
  'error' as level,
  o.kind || ' ' || o.name as object,
  pg_catalog.format('is owned by %I', r.rolname) || case
    when r.rolsuper then ', a superuser'
    when r.rolbypassrls then ', who bypasses row-level security'
    else '' end as finding,
  'A view or function of a superuser can bypass row-level security, and an owner may alter, grant and drop its '
    'objects.' as why,
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

comment on view audit.wrong_owner is 'Objects that studio_owner should own.';
--! EndIncluded audit/rules/wrong_owner.sql
--! Included audit/rules/function_without_search_path.sql
-- Finds functions in which the caller's search_path decides what an unqualified name means. It leaves
-- out functions with an SQL-standard body that run with the caller's rights: the server resolved their
-- names when it created them, and could not inline them if they had settings.
create or replace view audit.function_without_search_path with (security_invoker = true) as
select
  'function_without_search_path' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  coalesce(
    (select 'has ' || setting from pg_catalog.unnest(p.proconfig) as setting where setting ~ '^search_path='),
    'has no search_path of its own') as finding,
  'The caller''s search_path decides what the unqualified names in its body mean' ||
    case when p.prosecdef then ', and it runs with its owner''s rights' else '' end || '.' as why,
  pg_catalog.format('alter function %I.%I(%s) set search_path = '''';',
    s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as remedy
from pg_catalog.pg_proc p
join audit.covered_schemas s on s.schema = p.pronamespace
where p.prokind <> 'a'
  and (p.prosqlbody is null or p.prosecdef)
  and 'search_path=""' <> all (coalesce(p.proconfig, '{}'));

comment on view audit.function_without_search_path is 'Functions whose unqualified names the caller''s search_path resolves.';
--! EndIncluded audit/rules/function_without_search_path.sql
--! Included audit/rules/executable_by_everybody.sql
-- Functions that every role of the server may call. A function without any grant is one of them,
-- because PostgreSQL grants EXECUTE to PUBLIC by default.
create or replace view audit.executable_by_everybody with (security_invoker = true) as
select
  'executable_by_everybody' as rule,
  case when p.prosecdef then 'error' else 'warning' end as level,
  pg_catalog.format('%I.%I(%s)', s.name, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as object,
  'EXECUTE is granted to PUBLIC' as finding,
  'Every role of the server may call it' ||
    case when p.prosecdef then ', and it runs with its owner''s rights' else '' end || '.' as why,
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
--! Included audit/rules/server_left_open.sql
-- A server on which nobody has closed a function of audit.closed_functions, as a managed one without
-- a superuser. It is one finding in place of one for each function and language. An error where
-- analysts may connect: elsewhere nobody outside writes a statement.
create or replace view audit.server_left_open with (security_invoker = true) as
select
  'server_left_open' as rule,
  case when s.analysts then 'error' else 'warning' end as level,
  'server' as object,
  pg_catalog.format('leaves %s functions open to everybody%s%s', s.functions, s.languages,
    case when s.analysts then ', and analysts may connect' else '; analysts may not connect' end) as finding,
  case when s.analysts
    then 'An analyst can see when others work, hold up jobs for seconds, and fill the disk, but reads no other studio''s rows: '
      'docs/operating.md, "Without a superuser".'
    else 'The service''s logins run no statement that somebody outside wrote. Analysts have GraphQL.' end as why,
  'run studio-inventory migrate as a superuser; if the provider gives you none, accept it with --accept server_left_open' as remedy
from (
  select
    pg_catalog.count(*) as functions,
    coalesce((
      select ' and ' || pg_catalog.string_agg('language ' || l.lanname, ', ' order by l.lanname)
      from pg_catalog.pg_language l
      where l.lanpltrusted and (l.lanacl is null or exists (select from pg_catalog.aclexplode(l.lanacl) a where a.grantee = 0))
    ), '') as languages,
    pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT') as analysts
  from audit.closed_functions c
  having pg_catalog.bool_and(c.is_open)
) as s;

comment on view audit.server_left_open is 'A server on which nobody has closed its functions to everybody.';
--! EndIncluded audit/rules/server_left_open.sql
--! Included audit/rules/catalog_function_open.sql
-- Functions of the server that help attackers, not readers, and that an exposed role may call. Where
-- all are open to everybody, audit.server_left_open says so once.
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
    and (a.grantee = 0 and not exists (select from audit.server_left_open) or a.grantee in (select x.role from audit.outsiders x))
  group by c.name, c.why, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Functions of the server that are closed here and that an exposed role may call.';
--! EndIncluded audit/rules/catalog_function_open.sql
--! Included audit/rules/language_usage.sql
-- Languages in which an exposed role, a role that can act as one, or PUBLIC may write functions and
-- DO blocks. Where the whole server is open, audit.server_left_open says so once.
create or replace view audit.language_usage with (security_invoker = true) as
select
  'language_usage' as rule,
  'error' as level,
  'language ' || pg_catalog.quote_ident(g.name) as object,
  'USAGE is granted to ' || g.grantee as finding,
  'Code in such a language can guess other studios'' values in a loop and catch the errors. Readers do not need it.' as why,
  pg_catalog.format('revoke usage on language %I from %s;', g.name, g.grantee) as remedy
from (
  select
    l.lanname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from pg_catalog.pg_language l
  cross join lateral pg_catalog.aclexplode(coalesce(l.lanacl, pg_catalog.acldefault('l', l.lanowner))) as a
  -- In the other languages only superusers can write functions, and no grant changes that.
  where l.lanpltrusted
    and (a.grantee = 0 and not exists (select from audit.server_left_open)
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
-- Exposed roles, roles that can act as one, and PUBLIC, with the right to create temporary objects,
-- schemas or objects in a schema, by a grant or through a group.
create or replace view audit.temporary_or_create with (security_invoker = true) as
select
  'temporary_or_create' as rule,
  'error' as level,
  g.place || ' ' || pg_catalog.quote_ident(g.name) as object,
  pg_catalog.format('%s is granted to %s', g.privilege, g.grantee) as finding,
  'A role that can create objects can create functions, operators and views that others call by mistake, and can fill '
    'the disk with temporary tables.' as why,
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

comment on view audit.temporary_or_create is 'Exposed roles that may create objects, temporary ones included.';
--! EndIncluded audit/rules/temporary_or_create.sql
--! Included audit/rules/column_grant_beyond_the_list.sql
-- Privileges on a table, view or column that audit.allowed_privileges does not list, held by an
-- exposed role, a login or PUBLIC. Also privileges with grant option.
-- The remedy is a statement. Its comment is for a developer who meant to grant the privilege.
create or replace view audit.column_grant_beyond_the_list with (security_invoker = true) as
-- Materialized, so that PostgreSQL reads it once and not for each grant.
with allowed as materialized (
  select l.role, l.privilege, l.relation, l.column_name from audit.allowed_privileges l
)
select
  'column_grant_beyond_the_list' as rule,
  'error' as level,
  g.relation || case g.column_name when '*' then '' else pg_catalog.format(' (%I)', g.column_name) end as object,
  pg_catalog.format('%s is granted to %s%s', g.privilege, g.grantee,
    case when g.grantable then ', who may pass it on' else '' end) as finding,
  'The missing grant hides a column that nobody may read. Every allowed grant is in the list.' as why,
  pg_catalog.format('revoke %s%s on %s from %s; -- or a migration adds it to sql/audit/views/allowed_privileges.sql', g.privilege,
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
  select from allowed l
  where l.role = g.grantee and l.privilege = g.privilege and l.relation = g.relation
    and l.column_name in (g.column_name, '*'));

comment on view audit.column_grant_beyond_the_list is
  'Privileges on tables, views and columns that the list does not name.';
--! EndIncluded audit/rules/column_grant_beyond_the_list.sql
--! Included audit/rules/usage_on_app.sql
-- Finds roles that can name the tables, by a grant or a membership. It lists a group without its
-- members. It leaves out superusers, the owner and its members, and the roles of the server.
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
  'Readers may use only the views. A role that can name a table can read its columns without the conditions of the '
    'view, for example archived items.' as why,
  pg_catalog.format('revoke all on schema app from %s; -- or from the group that has it',
    pg_catalog.quote_ident(f.name)) as remedy
from (
  select 'public' as name from app where app.open_to_everybody
  union all
  select h.name from holders h
  where not exists (
    select from holders g where g.oid <> h.oid and pg_catalog.pg_has_role(h.oid, g.oid, 'USAGE'))
) as f;

comment on view audit.usage_on_app is 'Roles that can name the tables, other than the owner and the writer.';
--! EndIncluded audit/rules/usage_on_app.sql
--! Included audit/rules/member_of_two_exposed_roles.sql
-- Roles that can act as two exposed roles, and exposed roles that can act as another or as the
-- owner, directly or through other roles. Administrators (superusers, and roles that may create
-- roles) are left out, because they can become any role. So are memberships that only allow a role to
-- add members.
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
  'Each role is safe alone. Together, their rights exceed what any login should have.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
--! EndIncluded audit/rules/member_of_two_exposed_roles.sql
--! Included audit/rules/dangerous_membership.sql
-- Finds exposed roles, and roles that can act as one, that have a second membership too many: they can
-- act as a role of the server (pg_read_all_data, …), as a role that bypasses policies or as the owner,
-- or they can add members. audit.member_of_two_exposed_roles finds those that can act as another exposed
-- role.
create or replace view audit.dangerous_membership with (security_invoker = true) as
select
  'dangerous_membership' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(x.name) as object,
  pg_catalog.format('can act as %I', r.rolname) as finding,
  'The roles of the server and the owner of the tables ignore grants; some also bypass row-level security.' as why,
  pg_catalog.format('revoke %I from %I; -- or from the role through which it comes', r.rolname, x.name) as remedy
from audit.outsiders x
join audit.memberships m on m.member = x.role
join pg_catalog.pg_roles r on r.oid = m.role
where (
    r.rolname ~ '^pg_' or r.rolsuper or r.rolbypassrls or r.rolreplication or r.rolcreaterole
    or (r.rolname = 'studio_owner' and not x.exposed)
  )
  -- This role gives the service's logins a connection and nothing else (audit.set_server_rights()).
  and not (r.rolname = 'pg_use_reserved_connections'
    and x.name in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'))
  -- If a role can act as the owner, it can act as the owner's groups too. One finding is enough.
  and not exists (
    select from audit.memberships owner_of
    join pg_catalog.pg_roles owner on owner.oid = owner_of.role and owner.rolname = 'studio_owner'
    join audit.memberships with_owner on with_owner.member = owner.oid and with_owner.role = m.role
    where owner_of.member = x.role)
union all
select
  'dangerous_membership', 'error', 'role ' || pg_catalog.quote_ident(holder.rolname),
  pg_catalog.format('may make others members of %I', r.rolname),
  'The role can let any login read and write the studios'' data.',
  pg_catalog.format('revoke admin option for %I from %I;', r.rolname, holder.rolname)
from pg_catalog.pg_auth_members m
join pg_catalog.pg_roles holder on holder.oid = m.member
join pg_catalog.pg_roles r on r.oid = m.roleid
where m.admin_option and not holder.rolsuper and not holder.rolcreaterole
  and (r.rolname = 'studio_owner' or r.oid in (select e.role from audit.exposed_roles e));

comment on view audit.dangerous_membership is
  'Roles that can act as a role that ignores grants, or can make others members.';
--! EndIncluded audit/rules/dangerous_membership.sql
--! Included audit/rules/exposed_role_with_powers.sql
-- Exposed roles, roles that can act as one, and the owner, with an attribute that grants and
-- policies do not limit.
create or replace view audit.exposed_role_with_powers with (security_invoker = true) as
select
  'exposed_role_with_powers' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(h.name) as object,
  'has the attributes: ' || h.powers as finding,
  'Policies and grants do not bind a role with these attributes. Nobody should log in as the owner or as a group.' as why,
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
  'Exposed roles with an attribute that grants and policies do not limit.';
--! EndIncluded audit/rules/exposed_role_with_powers.sql
--! Included audit/rules/login_without_limits.sql
-- Analysts' logins without an end, or without limits on connections, temporary files or the time of
-- a statement. Exempts the service's logins: pools limit their connections, and analysts cannot
-- write their statements. A login does not inherit its group's settings. Only a superuser can limit
-- temporary files: without one, audit.server_left_open is the finding.
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
  'One analyst could use up all connections, the disk or the processors. A login without an end stays valid after '
    'everybody has forgotten it.' as why,
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
        select from settings s where s.role = r.oid and s.name = 'temp_file_limit' and s.value !~ '^-')
        and not exists (select from audit.server_left_open) as boundless,
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
-- Indexes of tables that an exposed role can reach whose first column is not studio_id, or whose
-- kind does not limit the search by the first column.
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
  'Such an index finds rows of all studios, so EXPLAIN ANALYZE reveals whether a value exists. A unique one refuses '
    'values that another studio has.' as why,
  'Drop it and create a B-tree with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am m on m.oid = c.relam
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where m.amname <> 'btree' or not exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid = t.relation and a.attnum = i.indkey[0] and a.attname = 'studio_id');

comment on view audit.index_not_leading_with_studio_id is 'Indexes that do not lead with studio_id.';
--! EndIncluded audit/rules/index_not_leading_with_studio_id.sql
--! Included audit/rules/statistics_on_a_private_column.sql
-- Columns with a studio's own words, numbers, ids or dates, and index expressions, for which the
-- server keeps statistics.
create or replace view audit.statistics_on_a_private_column with (security_invoker = true) as
select
  'statistics_on_a_private_column' as rule,
  'error' as level,
  pg_catalog.format('%s (%I)', held.name, a.attname) as object,
  'has statistics, with the target ' || coalesce(nullif(a.attstattarget, -1)::text, 'that is the default') as finding,
  'The server computes them from all studios'' values. The estimates of EXPLAIN then reveal a value letter by letter.' as why,
  pg_catalog.format('alter %s %s alter column %s set statistics 0; -- then a superuser has to delete the collected '
    'statistics from pg_statistic (since version 18: pg_clear_attribute_stats)',
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
-- From version 17 on, attstattarget is null by default; before, it is -1 and of another type.
where coalesce((pg_catalog.to_jsonb(a) ->> 'attstattarget')::integer, -1) <> 0
  and case held.kind
    when 'index' then held.indkey[a.attnum - 1] = 0
    else a.attname not in ('studio_id', 'archived_at')
  end;

comment on view audit.statistics_on_a_private_column is
  'Columns and index expressions with statistics that would show other studios'' values.';
--! EndIncluded audit/rules/statistics_on_a_private_column.sql
--! Included audit/rules/extended_statistics.sql
-- Extended statistics on tables that an exposed role can reach.
create or replace view audit.extended_statistics with (security_invoker = true) as
select
  'extended_statistics' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, x.stxname) as object,
  'are extended statistics on ' || t.name as finding,
  'The server computes them from all studios'' values, and EXPLAIN shows estimates that reveal these values.' as why,
  pg_catalog.format('drop statistics %I.%I;', n.nspname, x.stxname) as remedy
from audit.exposed_tables t
join pg_catalog.pg_statistic_ext x on x.stxrelid = t.relation
join pg_catalog.pg_namespace n on n.oid = x.stxnamespace;

comment on view audit.extended_statistics is 'Extended statistics on tables that an exposed role can reach.';
--! EndIncluded audit/rules/extended_statistics.sql
--! Included audit/rules/foreign_key_across_studios.sql
-- Foreign keys by which a row of one studio can reference a row of another: they do not compare
-- studio_id, or reference app.studios from another column.
create or replace view audit.foreign_key_across_studios with (security_invoker = true) as
select
  'foreign_key_across_studios' as rule,
  'error' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, n.nspname, c.relname) as object,
  pg_catalog.format('points at %I.%I without studio_id', fn.nspname, f.relname) as finding,
  'The server ignores row-level security when it checks a foreign key. A row could reference another studio''s row, '
    'and a refusal would reveal which ids exist there.' as why,
  pg_catalog.format('Drop it, add the column studio_id to %I.%I if it lacks one, and add the constraint again with '
    'studio_id on both sides.', n.nspname, c.relname) as remedy
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
-- The column that names the studio in the referenced table. All studios share a table without one.
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
-- Foreign keys without an index that begins with their columns, in any order. A partial index
-- counts if its condition only excludes nulls in the key. Keys to app.categories need none: only
-- migrations change that table, and an index on a category could not begin with studio_id.
create or replace view audit.foreign_key_without_index with (security_invoker = true) as
select
  'foreign_key_without_index' as rule,
  'warning' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, k.schema, k.relation) as object,
  pg_catalog.format('no index begins with %s', k.columns) as finding,
  'When a referenced row is deleted or gets another key, the server scans this whole table and keeps the row locked '
    'meanwhile.' as why,
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

comment on view audit.foreign_key_without_index is 'Foreign keys without an index.';
--! EndIncluded audit/rules/foreign_key_without_index.sql
--! Included audit/rules/setting_with_a_secret.sql
-- Settings of roles, databases and functions that look like a secret, by their name or by a
-- password in their value. An auditor cannot list settings in the server's files. For an analyst's own
-- setting the finding is a warning, because it can reveal only that analyst's secret.
create or replace view audit.setting_with_a_secret with (security_invoker = true) as
select
  'setting_with_a_secret' as rule,
  case when h.own then 'warning' else 'error' end as level,
  h.holder as object,
  pg_catalog.format('the setting %I looks like a secret', h.name) as finding,
  'Every login can read the settings of all roles, databases and functions.' as why,
  pg_catalog.format('alter %s reset %s; -- then change the secret: others could read it', h.holder,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' order by position)
     from pg_catalog.regexp_split_to_table(h.name, '\.') with ordinality as parts (part, position))) as remedy
from (
  select
    places.holder,
    pg_catalog.split_part(setting, '=', 1) as name,
    pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1) as value,
    places.own
  from (
    select
      case when s.setrole = 0 and s.setdatabase = 0 then 'role all'
        when s.setrole = 0 then pg_catalog.format('database %I', d.datname)
        when d.oid is null then pg_catalog.format('role %I', pg_catalog.pg_get_userbyid(s.setrole))
        else pg_catalog.format('role %I in database %I', pg_catalog.pg_get_userbyid(s.setrole), d.datname)
      end as holder,
      s.setconfig as settings,
      coalesce((
        select r.rolname = 'studio_analyst' or (not r.rolsuper and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member'))
        from pg_catalog.pg_roles r where r.oid = s.setrole), false) as own
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    where d.oid is null or d.datname = pg_catalog.current_database()
    union all
    select
      pg_catalog.format('routine %I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)),
      p.proconfig, false
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  ) as places
  cross join lateral pg_catalog.unnest(places.settings) as setting
) as h
-- The server's own settings have no dot in their name, and only their value can hold a secret.
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
  'Older versions have known flaws in row-level security and grants.' as why,
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
-- Finds logins of analysts that belong to another studio than when they were made, or that have lost
-- their role. An auditor may not read the mapping, so a function of the owner compares it with its log
-- and returns the names.
create or replace view audit.analyst_mapping_changed with (security_invoker = true) as
select
  'analyst_mapping_changed' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(m.login) as object,
  m.reason as finding,
  'The analyst reads the studio that access.analyst_logins names. The commands never map a login to a second studio.'
    as why,
  pg_catalog.format('delete from access.analyst_logins where login = %L; -- then make a login with analyst create', m.login)
    as remedy
from access.misdirected_analysts() as m;

comment on view audit.analyst_mapping_changed is
  'Analysts'' logins whose studio is not the one of their creation.';
--! EndIncluded audit/rules/analyst_mapping_changed.sql
--! Included audit/views/findings.sql
-- The findings of all rules; a sound database has none. Each rule is a view with these columns:
-- rule, severity (error: another studio's data is or may come within reach; warning: anything else
-- that should not stay), object, problem, why it matters, how to fix it.
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
select rule, level, object, finding, why, remedy from audit.server_left_open
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
-- Each exposed role's privileges on tables, views and columns, however it got them: role × relation
-- × column × privilege. The column '*' is the relation itself, with the privileges that no column
-- has.
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
-- The REST pool reads the views and runs the operations of api_v1, and nothing else. Its rights on
-- the tables under the views are column by column. It has no USAGE on app, so it cannot name a
-- table.

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years to studio_api;

-- The schema has nothing but views and functions that are made for this role alone.
grant select on all tables in schema service to studio_api;
grant execute on all functions in schema service to studio_api;

grant execute on function
  api_v1.get_item, api_v1.list_item_policies, api_v1.get_policy,
  api_v1.get_account, api_v1.get_valuation_summary, api_v1.rfc3339, api_v1.squeezed, api_v1.search_patterns,
  api_v1.locations_within, api_v1.items_on, api_v1.cover_on, api_v1.sums_on,
  valuation.current_terms, valuation.manual_value_of, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  access.open_session, access.open_member_session, access.authenticate_batch, access.token_prefixes,
  access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.shows_all_locations, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_recorder.sql
-- Records requests and last use, and how the jobs went; ends analysts' sessions that exceed their
-- limits, deletes expired uploads and old request details, and moves the watermark. It does all this by functions only.

grant execute on function
  access.record_activity, access.watch_analysts, access.count_logins, access.purge_uploads, access.purge_activity, access.record_job,
  access.heartbeat, access.history, access.watermark to studio_recorder;
--! EndIncluded grants/studio_recorder.sql
--! Included grants/studio_writer.sql
-- The app and the importer write with this role, for one studio at a time, under row-level
-- security. It cannot write columns that the database keeps itself: studio_id and id once they are
-- written, created_at, updated_at, coverage_state, and copies. It archives items and policies and
-- does not delete them.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.depreciation_changes,
  app.item_valuations, app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line, manual_value, replacement_cost, reported_insured_value, disposed_on,
  disposal_proceeds, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line, manual_value, replacement_cost, reported_insured_value, disposed_on,
  disposal_proceeds, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, id, external_key, item_id, effective_on, depreciation_method, useful_life_months,
  residual_value, depreciation_rate, switches_to_straight_line) on app.depreciation_changes to studio_writer;
grant update (external_key, item_id, effective_on, depreciation_method, useful_life_months, residual_value,
  depreciation_rate, switches_to_straight_line) on app.depreciation_changes to studio_writer;
grant delete on app.depreciation_changes to studio_writer;

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

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_studio_today,
  access.current_plan, access.history,
  valuation.next_due, valuation.refresh_due, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import, access.record_import, access.remembered_choices,
  access.text_lengths, app.stamp
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
--! Included grants/studio_console.sql
-- The console's pool: executes the functions of schema console, and reads no table or view. Each
-- function except those for signing in and out takes a session and checks its user's membership.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.admit_member, console.change_role, console.dismiss_member, console.read_plan,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log,
  console.keep_upload, console.read_upload
  to studio_console;
--! EndIncluded grants/studio_console.sql
--! Included grants/studio_graphql.sql
-- The GraphQL pool reads the views of api_v1 that analysts read, too. Its rights on the tables
-- under the views are column by column, and it has no USAGE on app.

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years,
  api_v1.depreciation_changes, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.shows_all_locations,
  access.current_account, access.clock, access.history, access.open_analyst_session,
  access.open_login_session,
  api_v1.items_on, api_v1.sums_on, api_v1.depreciation_schedule, valuation.current_terms, valuation.manual_value_of, valuation.explain_item,
  valuation.depreciation_months,
  valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql
--! Included grants/studio_analyst.sql
-- Analysts: each is a login of this group, which access.analyst_logins maps to one studio. They
-- read the views of api_v1 in SQL, and of the tables only the columns that these views read. They
-- cannot name a table of app, write nothing, and execute only what a view needs.

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years,
  api_v1.depreciation_changes, api_v1.closed_values,
  api_v1.corrections, api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.shows_all_locations,
  access.current_account, access.clock,
  api_v1.items_on, api_v1.sums_on, api_v1.depreciation_schedule, valuation.current_terms, valuation.manual_value_of, valuation.explain_item,
  valuation.depreciation_months,
  valuation.depreciation_years,
  valuation.corrections_of
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;

-- audit.analyst_mapping_changed reads only the names of the logins.
grant execute on function access.misdirected_analysts to studio_auditor;
--! EndIncluded grants/studio_auditor.sql
--! Included grants/view_columns.sql
-- Grants each reader of a view the columns that the view reads, and no other column of a table.
do $$
declare
  g record;
begin
  for g in
    select pair.role, pair.relation, wanted.columns
    from (
      select r.name as role, c.oid as table_oid, pg_catalog.format('%I.%I', s.name, c.relname) as relation
      from (values ('studio_api'), ('studio_graphql'), ('studio_analyst')) as r (name)
      cross join audit.covered_schemas s
      join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p')
    ) as pair
    cross join lateral (
      select pg_catalog.string_agg(distinct pg_catalog.quote_ident(v.column_name), ', ') as columns
      from audit.view_columns v
      where v.relation = pair.relation and pg_catalog.has_table_privilege(pair.role, v.view, 'SELECT')
    ) as wanted
    cross join lateral (
      select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by pg_catalog.quote_ident(a.attname)) as columns
      from pg_catalog.pg_attribute a
      where a.attrelid = pair.table_oid and a.attnum > 0 and not a.attisdropped
        and pg_catalog.has_column_privilege(pair.role, a.attrelid, a.attnum, 'SELECT')
    ) as held
    where wanted.columns is distinct from held.columns
  loop
    execute pg_catalog.format('revoke all on %s from %I', g.relation, g.role);
    if g.columns is not null then
      execute pg_catalog.format('grant select (%s) on %s to %I', g.columns, g.relation, g.role);
    end if;
  end loop;
end
$$;
--! EndIncluded grants/view_columns.sql

-- These run as the administrator.
reset role;

--! Included grants/studio_owner.sql
-- The owner uses the rights of the roles that audit.set_server_rights() makes it a member of. Before
-- version 16, the role and not the grant decides that. Run as the administrator.

alter role studio_owner inherit;
--! EndIncluded grants/studio_owner.sql
--! Included grants/studio_backup.sql
-- Backups of an administrator who is no superuser: `pg_dump --role=studio_backup
-- --enable-row-security` reads every table of the owner, and all rows by policies of its own
-- (app/row_level_security.sql). Nobody can log in as it. Run as the administrator.

alter role studio_backup inherit;
grant studio_owner to studio_backup;
grant select on all tables in schema graphile_migrate to studio_backup;
--! EndIncluded grants/studio_backup.sql
--! Included grants/database.sql
-- Revokes what everybody may do in a new database and nobody needs here. Run as the administrator.
-- One that is no superuser cannot set all rights of the server: `migrate` warns, and the audit says
-- so.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to studio_owner, studio_api, studio_recorder, studio_writer, '
    'studio_console, studio_graphql, studio_analyst, studio_auditor', current_database());
  -- app.open_import needs it, and says why no login may have it.
  execute format('grant temporary on database %I to studio_owner', current_database());
end
$$;

-- The owner reads which migrations have run (access.schema_version()).
grant usage on schema graphile_migrate to studio_owner;
grant select on graphile_migrate.migrations to studio_owner;

select audit.set_server_rights();
--! EndIncluded grants/database.sql
--! EndIncluded all.sql
