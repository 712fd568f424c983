--! Previous: -
--! Hash: sha1:2a8b2e482fc938f76a2fb6abb9fc876d79d23451
--! Message: tables

-- State: every table, column, constraint and index. What can be replaced (functions, policies, views, triggers,
-- grants) stands in sql/ and is installed by the next migration.
--
-- A studio's tables have the key (studio_id, id); foreign keys between them carry studio_id and every index leads with it.
-- studio_hash follows from studio_id and differs between any two studios. The policies compare it as well, at no cost, so that
-- the planner places them before every condition of a reader's (docs/row-level-security.md). It is in the indexes that answer
-- by themselves.

--! Included roles.sql
-- The roles of a studio inventory. They belong to the whole server and are shared by its databases,
-- so they are created only where they are missing. None is superuser, bypasses row-level security
-- or is a member of another. Run as the administrator.

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

  -- An administrator that is not superuser becomes a member of the owner, to create and change its
  -- objects.
  if not pg_catalog.pg_has_role(current_user, 'studio_owner', 'usage') then
    execute format('grant studio_owner to %I', current_user);
  end if;
end
$$;

-- One plan per statement for all studios; nothing compiled; timestamps leave the server in UTC.
-- Without statistics the planner guesses. It must not sort: an index has the order of every list.
-- A plan from a time when the table was small, or full of dead rows, must not read the whole table.
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
-- Ends the statement of a client that has gone. Not every operating system notices.
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

-- Ends the sessions of a service whose machine or network failed after half a minute, not after the
-- system's hours. Only Linux: other systems warn of these settings at each login.
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

-- Counts behind a connection pooler, which drops the service's own shorter limit.
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
create schema if not exists service authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema console is 'What the console''s pages may ask, each question in the session of a signed-in user.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema service is 'What the REST service alone reads: what lists are made of, photos and counters.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- What an outsider may do is granted by name in grants/; nothing is given to everybody.
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

-- Money: exact decimals, as many as the studio's currency has (app.settle_amounts()), never negative, never NaN.
create domain app.amount as numeric check (value between 0 and 999999999999.999);

-- --------------------------------------------------------------------------------------------------- sync

-- The moments that heartbeats announced, and the transactions in which they did. A sequence, because every transaction sees its
-- newest value at once.
create table app.heartbeats (
  xid xid8 primary key,
  at timestamptz(3) not null
);
create sequence app.announced_moment as bigint minvalue 0; -- milliseconds since 1970

-- Which history the database continues, and since when removals are known without a gap. One row.
create table app.sync_state (
  only_row boolean primary key default true check (only_row),
  history text,
  removals_since timestamptz(3) not null
);

-- Columns take their defaults, checks and types from these.
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
--! Included access/functions/clock.sql
-- The clock of every rule about "now" and "today". Tests can stop it here.
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
  -- Takes the transaction's id. Expressions only: a query would take five times as long.
  id xid8 := pg_catalog.pg_current_xact_id();
begin
  return greatest(
    pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
    timestamptz 'epoch' + pg_catalog.pg_sequence_last_value('app.announced_moment') * interval '1 millisecond');
end
$$;

comment on function app.stamp() is 'The moment that a change shows: never before one that a heartbeat announced.';
--! EndIncluded app/functions/stamp.sql

select pg_catalog.setval('app.announced_moment',
  pg_catalog.floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint);
insert into app.sync_state (removals_since)
select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m;

-- ---------------------------------------------------------------------------------------------- reference

create table app.categories (
  name text primary key,
  category_group text not null,
  position smallint not null unique,
  useful_life_months integer not null check (useful_life_months > 0),
  residual_rate numeric(4,3) not null check (residual_rate between 0 and 1)
);
create unique index categories_name_any_case on app.categories (lower(name));

insert into app.categories (position, category_group, name, useful_life_months, residual_rate) values
  (1, 'Signal chain', 'Microphones', 180, 0.300),
  (2, 'Signal chain', 'Preamps & Channel Strips', 180, 0.250),
  (3, 'Signal chain', 'Outboard — Dynamics & EQ', 180, 0.250),
  (4, 'Signal chain', 'Effects & Reverb Units', 120, 0.200),
  (5, 'Signal chain', 'Mixing Consoles & Summing', 180, 0.200),
  (6, 'Signal chain', 'Recorders & Tape Machines', 180, 0.200),
  (7, 'Signal chain', 'Interfaces & Converters', 84, 0.100),
  (8, 'Signal chain', 'Monitoring & Headphones', 120, 0.150),
  (9, 'Instruments and backline', 'Guitars & Basses', 240, 0.400),
  (10, 'Instruments and backline', 'Keyboards & Synthesizers', 180, 0.250),
  (11, 'Instruments and backline', 'Drums & Percussion', 180, 0.250),
  (12, 'Instruments and backline', 'Amplifiers & Cabinets', 180, 0.250),
  (13, 'Infrastructure', 'Computers & Software', 48, 0.050),
  (14, 'Infrastructure', 'Cables, Stands & Accessories', 60, 0.050),
  (15, 'Infrastructure', 'Acoustic Treatment & Furniture', 120, 0.100),
  (16, 'Fallback', 'Other / Uncategorised', 96, 0.100);

-- ------------------------------------------------------------------------------------------------ studios

create table app.studios (
  id uuid primary key default gen_random_uuid(),
  studio_hash integer not null unique generated always as (pg_catalog.uuid_hash(id) >> 1) stored,
  name text not null check (name <> ''),
  timezone text not null default 'UTC',
  currency text not null default 'EUR',
  minor_units smallint not null, -- by the currency (app.check_studio())
  financial_year_start_month smallint check (financial_year_start_month between 1 and 12), -- null: each item has years of its own
  first_period text not null default 'full_month' check (first_period in ('full_month', 'half_year', 'mid_month', 'day')),
  category_terms valuation.category_terms[], -- at most one for each category; by access.set_category_terms()
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  closes_since timestamptz(3) not null default access.clock(), -- its months are closed since then, the one of that moment first
  removed_at timestamptz(3) -- its removal has begun
);

create table app.locations (
  studio_id uuid not null references app.studios,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  external_key text,
  name text not null check (name <> ''),
  description text,
  type text check (type in ('site', 'room', 'storage', 'rack', 'vehicle', 'offsite', 'other')),
  parent_id uuid,
  address_line1 text,
  address_line2 text,
  city text,
  region text,
  postal_code text,
  country_code text check (country_code ~ '^[A-Z]{2}$'),
  is_default boolean not null default false,
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  primary key (studio_id, id),
  foreign key (studio_id, parent_id) references app.locations on delete set null (parent_id),
  check (parent_id <> id)
);
create unique index locations_one_default on app.locations (studio_id) where is_default;
create unique index locations_external_key on app.locations (studio_id, external_key) where external_key is not null;
create index locations_by_update on app.locations (studio_id, updated_at desc, id desc) include (studio_hash);
create index locations_by_parent on app.locations (studio_id, parent_id) where parent_id is not null;

-- -------------------------------------------------------------------------------------------------- items

-- PostgreSQL vacuums a table once a fifth of its rows are dead; these three are the large ones. No update of an item is HOT, because
-- each moves updated_at, which lists are ordered by.
create table app.items (
  studio_id uuid not null references app.studios,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  external_key text,
  name text not null check (name <> ''),
  manufacturer text not null default '',
  model text not null default '',
  serial_number text not null default '',
  barcode text not null default '',
  category text not null default 'Other / Uncategorised' references app.categories on update cascade,
  tags text[] not null default '{}' check (array_position(tags, null) is null),
  location_id uuid,
  purchase_price app.amount not null default 0,
  acquisition_date date check (acquisition_date between '0001-01-01' and '9999-12-31'),
  depreciation_method text not null default 'none'
    check (depreciation_method in ('none', 'straight_line', 'declining_balance', 'double_declining_balance')),
  useful_life_months integer check (useful_life_months > 0),
  residual_value app.amount,
  depreciation_rate numeric(6,3) check (depreciation_rate > 0 and depreciation_rate <= 100), -- percent a year; null: the category's, else by method and life
  -- yes: to an even spread of what is left, once that charges more; floor: never less than straight line
  switches_to_straight_line text check (switches_to_straight_line in ('yes', 'no', 'floor')), -- null: its category's in the studio
  manual_value app.amount,
  replacement_cost app.amount,
  reported_insured_value app.amount not null default 0,
  disposed_on date, -- the day on which it left; archived_at is when that was recorded
  disposal_proceeds app.amount,
  -- kept by triggers: copied from depreciation_changes and market_values, and from item_valuations for the filter's index
  depreciation_changes valuation.change[],
  market_value app.amount,
  market_value_as_of timestamptz(3),
  coverage_state text check (coverage_state in ('fully_covered', 'under_covered', 'uninsured', 'value_unknown')),
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  document text, -- kept by a trigger: the item as a list shows it
  words text, -- kept by the same: what a search finds it by
  short_tags text[], -- kept by the same: its tags; null when they are too long for the index
  primary key (studio_id, id),
  foreign key (studio_id, location_id) references app.locations on delete set null (location_id),
  constraint rate_of_a_declining_method
    check (depreciation_rate is null or depreciation_method in ('declining_balance', 'double_declining_balance')),
  constraint disposed_of_after_acquisition check (disposed_on >= acquisition_date),
  constraint disposed_of_is_archived check (disposed_on is null or archived_at is not null),
  constraint proceeds_of_a_disposal check (disposal_proceeds is null or disposed_on is not null)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
create index items_by_update on app.items (studio_id, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_category on app.items (studio_id, category, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_coverage on app.items (studio_id, coverage_state, updated_at desc, id desc) include (studio_hash)
  where archived_at is null;
create index items_by_category_and_coverage on app.items (studio_id, category, coverage_state, updated_at desc, id desc)
  include (studio_hash) where archived_at is null;
-- Most items have neither barcode nor serial number. A row of an index has less than 2,700 bytes.
create index items_by_barcode on app.items (studio_id, barcode, updated_at desc, id desc) include (studio_hash)
  where archived_at is null and barcode <> '' and octet_length(barcode) <= 1000;
create index items_by_serial_number on app.items (studio_id, serial_number, updated_at desc, id desc) include (studio_hash)
  where archived_at is null and serial_number <> '' and octet_length(serial_number) <= 1000;
create unique index items_external_key on app.items (studio_id, external_key) where external_key is not null;
create index items_by_location on app.items (studio_id, location_id, updated_at desc, id desc) include (studio_hash, archived_at)
  where location_id is not null;
-- A search (service.searched_items) reads all of a studio's rows of this one, without the table. Only statements that say that
-- there are words may use it.
create index items_by_words on app.items (studio_id, updated_at desc, id desc)
  include (studio_hash, words, short_tags, acquisition_date, location_id) where archived_at is null and words is not null;

create table app.item_photos (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  item_id uuid not null,
  storage_key text not null check (storage_key <> ''),
  position smallint not null default 0,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (studio_id, id),
  foreign key (studio_id, item_id) references app.items on delete cascade
);
create unique index item_photos_by_item on app.item_photos (studio_id, item_id, position, id);

-- The newest market value of an item, as a third party gave it.
create table app.market_values (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  item_id uuid not null,
  value app.amount not null,
  as_of timestamptz(3) not null check (as_of at time zone 'UTC' between '0001-01-01' and '9999-12-31 23:59:59.999'),
  source text not null default '',
  primary key (studio_id, item_id),
  foreign key (studio_id, item_id) references app.items on delete cascade
);

-- Changes of how an item depreciates, each from its day on; null is as before.
create table app.depreciation_changes (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  external_key text,
  item_id uuid not null,
  effective_on date not null check (effective_on between '0001-01-01' and '9999-12-31'),
  depreciation_method text
    check (depreciation_method in ('none', 'straight_line', 'declining_balance', 'double_declining_balance')),
  useful_life_months integer check (useful_life_months > 0),
  residual_value app.amount,
  depreciation_rate numeric(6,3) check (depreciation_rate > 0 and depreciation_rate <= 100),
  switches_to_straight_line text check (switches_to_straight_line in ('yes', 'no', 'floor')),
  primary key (studio_id, id),
  foreign key (studio_id, item_id) references app.items on delete cascade,
  constraint something_changes check (num_nonnulls(
    depreciation_method, useful_life_months, residual_value, depreciation_rate, switches_to_straight_line) > 0)
);
create unique index depreciation_changes_by_item on app.depreciation_changes (studio_id, item_id, effective_on)
  include (studio_hash);
create unique index depreciation_changes_external_key on app.depreciation_changes (studio_id, external_key)
  where external_key is not null;

-- The projection: what an item is worth and how its reported insured value compares. Without a value_source it is "unavailable".
create table app.item_valuations (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  item_id uuid not null,
  current_estimated_value app.amount,
  value_source text check (value_source in
    ('agreed', 'market', 'manual', 'depreciated', 'purchase_price', 'replacement_cost', 'unknown')),
  coverage_state text check (coverage_state in ('fully_covered', 'under_covered', 'uninsured', 'value_unknown')),
  gap_amount numeric check (gap_amount <> 'NaN'),
  book_value app.amount,
  revalue_on date, -- the day on which time alone changes the value; null when it does not
  -- copies from the item: what the list of values shows and filters by, and what is summed
  replacement_cost app.amount, -- the list does not show it
  purchase_price app.amount not null,
  reported_insured_value app.amount not null,
  category text not null,
  location_id uuid,
  is_archived boolean not null,
  updated_at timestamptz(3) not null default app.stamp(), -- when any of it last changed, but for revalue_on and replacement_cost
  constraint unavailable_as_a_whole check ((value_source is null) = (coverage_state is null)),
  primary key (studio_id, item_id),
  foreign key (studio_id, item_id) references app.items on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
create index item_valuations_by_revaluation on app.item_valuations (studio_id, revalue_on) where revalue_on is not null;
-- Every filter of the list reads this one alone: an index for each would make the monthly refresh of all values dearer.
create index item_valuations_by_update on app.item_valuations (studio_id, updated_at desc, item_id desc)
  include (studio_hash, category, coverage_state, value_source, location_id) where not is_archived;

-- Every market value that an item has had, from the day that it was known; null: it had none from that day on. Of those whose
-- day has come by some day, the one with the highest id counts.
create table app.market_value_history (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  item_id uuid not null,
  id bigint generated always as identity,
  day date not null,
  value app.amount,
  as_of timestamptz(3),
  recorded_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  primary key (studio_id, item_id, id) include (studio_hash, day, value, as_of),
  check ((value is null) = (as_of is null))
);

-- Which months a studio has closed, when it really did, and the sums. A month is here when all its
-- values are.
create table app.closings (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  month_end date not null,
  closed_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', access.clock()),
  items integer not null,
  estimated_value numeric not null,
  reported_insured_value numeric not null,
  primary key (studio_id, month_end)
);

-- How far the closing of a studio's month has come: the last item that it has looked at, and the sums so far. Only while
-- a month is being closed.
create table app.closings_under_way (
  studio_id uuid primary key references app.studios on delete cascade,
  month_end date not null,
  item_id uuid not null,
  items integer not null,
  estimated_value numeric not null,
  reported_insured_value numeric not null
);

-- What each item was worth at the end of a closed month, and what that came from, where it is not as at the end of the
-- month before: an item keeps its latest row in the months without one. The item may be gone. A row that describes the
-- item (described_in = month_end) has all columns; one where only the estimate or the market value moved leaves the others
-- to the row of described_in; one whose described_in is null says that the item was no longer in the inventory.
create table app.closed_values (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  month_end date not null,
  described_in date,
  item_id uuid not null,
  is_first boolean not null, -- no earlier row is of this item
  current_estimated_value app.amount,
  market_value app.amount,
  market_value_as_of timestamptz(3),
  name text,
  category text,
  currency text,
  value_source text,
  coverage_state text,
  reported_insured_value app.amount,
  purchase_price app.amount,
  acquisition_date date,
  depreciation_method text,
  useful_life_months integer,
  residual_value app.amount,
  financial_year_start_month integer,
  depreciation_rate numeric(6,3),
  switches_to_straight_line text,
  first_period text,
  manual_value app.amount,
  replacement_cost app.amount,
  primary key (studio_id, item_id, month_end),
  constraint described_completely check (
    described_in <= month_end and case when described_in = month_end
      then num_nulls(name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price,
        depreciation_method, useful_life_months, residual_value, first_period) = 0
      else num_nonnulls(name, category, currency, value_source, coverage_state, reported_insured_value, purchase_price,
        acquisition_date, depreciation_method, useful_life_months, residual_value, financial_year_start_month,
        depreciation_rate, switches_to_straight_line, first_period, manual_value, replacement_cost) = 0 end)
);
create index closed_items on app.closed_values (studio_id, item_id) include (studio_hash, month_end) where is_first;

-- -------------------------------------------------------------------------------------------- maintenance

create table app.maintenance_records (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  external_key text,
  item_id uuid not null,
  title text not null check (title <> ''),
  maintenance_type text check (maintenance_type in
    ('preventive', 'repair', 'calibration', 'inspection', 'cleaning', 'upgrade', 'other')),
  status text not null default 'scheduled' check (status in ('scheduled', 'completed')),
  scheduled_date date check (scheduled_date between '0001-01-01' and '9999-12-31'),
  completed_date date check (completed_date between '0001-01-01' and '9999-12-31'),
  cost app.amount,
  vendor text,
  description text,
  -- kept by triggers: copied from the item, so that the list needs no join
  item_name text,
  item_archived boolean not null default false,
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  document text, -- kept by a trigger: the record as the list shows it
  primary key (studio_id, id),
  foreign key (studio_id, item_id) references app.items on delete cascade,
  constraint completed_date_exactly_when_completed check ((status = 'completed') = (completed_date is not null))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
create index maintenance_by_update on app.maintenance_records (studio_id, updated_at desc, id desc)
  include (studio_hash) where not item_archived;
create index maintenance_by_status on app.maintenance_records (studio_id, status, updated_at desc, id desc)
  include (studio_hash, scheduled_date) where not item_archived;
create index maintenance_by_item on app.maintenance_records (studio_id, item_id, updated_at desc, id desc)
  include (studio_hash);
create unique index maintenance_external_key on app.maintenance_records (studio_id, external_key)
  where external_key is not null;

-- ---------------------------------------------------------------------------------------------- insurance

create table app.policies (
  studio_id uuid not null references app.studios,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  external_key text,
  name text not null check (name <> ''),
  carrier text,
  policy_number text,
  policy_type text, -- stored as it came; shown only when it is a recognised type
  overall_limit app.amount,
  deductible app.amount,
  covered_perils text[] check (array_position(covered_perils, null) is null),
  location_constraints text,
  effective_start date check (effective_start between '0001-01-01' and '9999-12-31'),
  effective_end date check (effective_end between '0001-01-01' and '9999-12-31'),
  owner_user_id uuid,
  source_document_id uuid,
  notes text,
  archived_at timestamptz(3),
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  primary key (studio_id, id),
  constraint effective_end_not_before_start check (effective_end >= effective_start)
);
create index policies_by_start on app.policies (studio_id, effective_start desc, id desc) include (studio_hash, effective_end)
  where archived_at is null;
create unique index policies_external_key on app.policies (studio_id, external_key) where external_key is not null;

create table app.policy_assignments (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  id uuid not null default gen_random_uuid(),
  page_key uuid not null default gen_random_uuid(), -- orders pages in place of id, which is never returned
  external_key text,
  item_id uuid not null,
  policy_id uuid not null,
  declared_value app.amount,
  is_primary boolean not null default false,
  effective_start date check (effective_start between '0001-01-01' and '9999-12-31'),
  effective_end date check (effective_end between '0001-01-01' and '9999-12-31'),
  notes text,
  created_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  updated_at timestamptz(3) not null default app.stamp(),
  primary key (studio_id, id),
  foreign key (studio_id, item_id) references app.items on delete cascade,
  foreign key (studio_id, policy_id) references app.policies on delete cascade,
  constraint effective_end_not_before_start check (effective_end >= effective_start)
);
create unique index policy_assignments_one_primary on app.policy_assignments (studio_id, item_id) where is_primary;
create index policy_assignments_by_item on app.policy_assignments (studio_id, item_id, policy_id, id);
create index policy_assignments_by_policy on app.policy_assignments (studio_id, policy_id, item_id desc, page_key desc)
  include (studio_hash);
create unique index policy_assignments_external_key on app.policy_assignments (studio_id, external_key)
  where external_key is not null;

-- ----------------------------------------------------------------------------------------------- removals

-- What has left its list. At leaves_at it has left by itself (a policy that will end; removed_at may be to come, too); at returns_at
-- it comes back by itself (a policy that will begin).
create table app.removals (
  studio_id uuid not null references app.studios,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  resource text not null check (resource in ('item', 'location', 'maintenance', 'policy')),
  id uuid not null,
  reason text not null
    check (reason in ('archived', 'deleted', 'expired', 'not_started', 'item_archived', 'not_in_plan')),
  removed_at timestamptz(3) not null default app.stamp(),
  leaves_at timestamptz(3),
  returns_at timestamptz(3),
  primary key (studio_id, resource, id, reason)
);
create index removals_by_moment on app.removals (studio_id, removed_at desc, id desc) include (studio_hash);

-- -------------------------------------------------------------------------------- counters and data version

-- Each writer adds to a slot that no other open transaction uses, so that writers of one studio do not wait for each
-- other; a total is the sum of its slots. '*' stands for "all".
create table app.item_counts (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  category text not null,
  coverage_state text not null,
  slot smallint not null,
  items bigint not null,
  primary key (studio_id, category, coverage_state, slot)
) with (fillfactor = 50);

create table app.maintenance_counts (
  studio_id uuid not null,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  status text not null,
  slot smallint not null,
  records bigint not null,
  primary key (studio_id, status, slot)
) with (fillfactor = 50);

-- Changes of transactions that are not over: nothing to be restored or replicated. word is a category or a status.
create unlogged table app.count_changes (
  transaction xid8 not null default pg_catalog.pg_current_xact_id(),
  is_first boolean not null,
  studio_id uuid not null,
  counter text not null check (counter in ('items', 'maintenance')),
  word text not null,
  coverage_state text,
  difference bigint not null
);
create index count_changes_of_transaction on app.count_changes (transaction);
comment on table app.count_changes is 'How open transactions change the numbers of items and maintenance records.';

-- The version of a studio's data: the sum over its slots grows with every transaction that changes what the API may answer.
create table app.data_versions (
  studio_id uuid not null,
  slot smallint not null,
  version bigint not null,
  primary key (studio_id, slot)
) with (fillfactor = 50);

-- ------------------------------------------------------------------------------------------------- access

create table access.users (
  id uuid primary key default gen_random_uuid(),
  email text not null check (email ~ '^[^@\s]+@[^@\s]+$'),
  created_at timestamptz(3) not null default clock_timestamp()
);
-- ASCII letters in any case, everything else as it stands: in a locale of the database's, lower() makes k of KELVIN SIGN, and
-- its address would be somebody else's.
create unique index users_email_any_case on access.users (lower(email collate "C"));

create table access.members (
  studio_id uuid not null references app.studios,
  user_id uuid not null references access.users,
  role text not null check (role in ('owner', 'admin', 'member')),
  name text not null default '' check (access.is_plain(name)), -- how the studio names the member; empty: by e-mail
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (studio_id, user_id)
);
create index members_by_user on access.members (user_id);

create table access.subscriptions (
  studio_id uuid primary key references app.studios,
  plan text not null check (plan in ('pro', 'pro_insure', 'studio')),
  status text not null check (status in ('trialing', 'active', 'past_due', 'canceled')),
  public_api boolean not null default true, -- off: no token is issued or accepted
  trial_ends_at timestamptz(3),
  current_period_start timestamptz(3),
  current_period_end timestamptz(3),
  renews text check (renews in ('month', 'year')), -- null: each period is set with the subscription
  archived_at timestamptz(3), -- the studio is out of use
  constraint trial_has_an_end check (status <> 'trialing' or trial_ends_at is not null),
  constraint period_end_after_start check (current_period_end > current_period_start)
);

create table access.tokens (
  studio_id uuid not null references app.studios,
  id uuid not null default gen_random_uuid() unique,
  name text not null check (name <> '' and access.is_plain(name)),
  tier text not null check (tier in ('pro', 'studio')),
  prefix text not null check (prefix ~ '^svc_(pro|studio)_[0-9A-Za-z]{4}$'),
  digest bytea not null unique check (octet_length(digest) = 32), -- sha256 of the full token; the secret is not kept
  issued_by uuid not null references access.users,
  scope_user_id uuid, -- a current member, or null: the token acts as its issuer
  created_at timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by uuid references access.users,
  expires_at timestamptz(3), -- from then on it is refused; null: never
  addresses cidr[] -- the networks that its requests may come from; null: any
    check (cardinality(addresses) >= 1 and cardinality(addresses) <= 50 and array_position(addresses, null) is null),
  primary key (studio_id, id),
  foreign key (studio_id, scope_user_id) references access.members on delete set null (scope_user_id)
);
create index tokens_by_scope on access.tokens (studio_id, scope_user_id) where scope_user_id is not null;
create index tokens_by_issuer on access.tokens (issued_by);
create index tokens_by_revoker on access.tokens (revoked_by) where revoked_by is not null;

create table access.request_activity (
  studio_id uuid not null,
  token_id uuid not null,
  id bigint generated always as identity,
  at timestamptz(3) not null,
  endpoint text not null,
  status smallint not null,
  duration_ms real not null,
  request_id uuid,
  details jsonb, -- see access.token_activity(); null after 90 days
  primary key (studio_id, token_id, id),
  foreign key (studio_id, token_id) references access.tokens on delete cascade
);
-- access.purge_activity() finds what is due.
create index request_activity_with_details on access.request_activity (at) where details is not null;
create index request_activity_newest on access.request_activity (studio_id, token_id, at desc, id desc);

-- Who did what with tokens, members, imports and the studio: append-only. It stays when the studio is removed.
create table access.audit_log (
  studio_id uuid not null,
  id bigint generated always as identity,
  at timestamptz(3) not null default clock_timestamp(),
  event text not null,
  actor_user_id uuid not null references access.users,
  token_id uuid,
  token_name text,
  token_prefix text,
  scope_user_id uuid,
  import jsonb, -- what was imported
  member_user_id uuid, -- whom it is about
  detail text, -- the role, the name before, or before → after
  primary key (studio_id, id),
  constraint audit_log_event_check check (event in ('token.issued', 'token.revoked', 'import',
    'member.added', 'member.role_changed', 'member.removed', 'analyst.created', 'analyst.ended',
    'studio.renamed', 'studio.archived', 'studio.restored', 'studio.removed', 'studio.currency_changed',
    'studio.time_zone_changed', 'studio.financial_year_changed', 'studio.first_period_changed', 'studio.category_changed')),
  constraint import_of_its_events check ((event = 'import') = (import is not null)),
  constraint token_of_its_events
    check (event not like 'token.%' or (token_id is not null and token_name is not null and token_prefix is not null))
);
create index audit_log_by_token on access.audit_log (studio_id, token_id);
create index audit_log_by_actor on access.audit_log (actor_user_id);

-- ------------------------------------------------------------------------------------------------ console

create table access.console_sessions (
  digest bytea primary key check (octet_length(digest) = 32), -- sha256 of the secret in the browser's cookie
  user_id uuid not null references access.users,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);
create index console_sessions_by_expiry on access.console_sessions (expires_at);
create index console_sessions_by_user on access.console_sessions (user_id);

-- What issuers signed and somebody signed in with, and what was sealed and shown, until it expires by itself.
create table access.console_assertions (
  digest bytea primary key check (octet_length(digest) = 32),
  expires_at timestamptz(3) not null
);
create index console_assertions_by_expiry on access.console_assertions (expires_at);

-- A file that somebody is about to import: one of each person for each studio, for an hour.
create table access.console_uploads (
  studio_id uuid not null references app.studios,
  user_id uuid not null references access.users,
  digest bytea not null check (octet_length(digest) = 32), -- sha256 of content and choices
  content bytea not null check (octet_length(content) <= 10485760),
  choices jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (studio_id, user_id)
);
create index console_uploads_by_user on access.console_uploads (user_id);
create index console_uploads_by_expiry on access.console_uploads (expires_at);

-- How a studio's people read files of a kind with a header, for the next such file.
create table access.import_choices (
  studio_id uuid not null references app.studios,
  kind text not null,
  header bytea not null check (octet_length(header) = 32), -- sha256 of the names of its columns
  choices jsonb not null,
  chosen_at timestamptz(3) not null,
  primary key (studio_id, kind, header)
);

-- ----------------------------------------------------------------------------------------------- analysts

-- The logins of analysts and the studio that each of them sees. A login that is for somebody ends with that person's
-- membership.
create table access.analyst_logins (
  login name primary key,
  studio_id uuid not null references app.studios,
  user_id uuid references access.users,
  statement_limit interval not null default '60 seconds'
    check (statement_limit > '0' and statement_limit <= '1 day'),
  writes integer not null default 0, -- how often the watchdog found it writing, each time within a day of the last
  wrote_at timestamptz(3),
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint analyst_logins_member foreign key (studio_id, user_id) references access.members on delete cascade
);
create index analyst_logins_by_member on access.analyst_logins (studio_id, user_id);
create index analyst_logins_by_user on access.analyst_logins (user_id) where user_id is not null;

-- Who was mapped to which studio, from when to when: append-only.
create table access.analyst_log (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  login name not null,
  event text not null check (event in ('mapped', 'unmapped', 'rotated')),
  studio_id uuid not null,
  user_id uuid references access.users,
  done_by name not null
);
create index analyst_log_by_login on access.analyst_log (login, id);
create index analyst_log_by_studio on access.analyst_log (studio_id);
create index analyst_log_by_user on access.analyst_log (user_id) where user_id is not null;

-- What analysts asked, as far as the watchdog saw it: a row for each login and statement, without the values of parameters.
create table access.analyst_statements (
  login name not null,
  query_id bigint not null, -- PostgreSQL's number for a statement and all that differ from it only in constants
  studio_id uuid not null references app.studios,
  text text not null, -- its beginning, of track_activity_query_size bytes at most
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  times bigint not null default 1, -- in how many executions the watchdog saw it
  primary key (login, query_id)
);
create index analyst_statements_by_studio on access.analyst_statements (studio_id);
create index analyst_statements_by_age on access.analyst_statements (login, last_at);

-- How the last run of each job of the service ended (access.record_job()).
create table access.jobs (
  name text primary key check (length(name) <= 100),
  every interval not null, -- the pause between two runs
  succeeded_at timestamptz(3),
  took interval, -- the last run that succeeded
  rows bigint, -- how many it changed
  failed_at timestamptz(3),
  failure text check (length(failure) <= 500) -- why the last one that failed did
);

-- --------------------------------------------------------------------------------------- row-level security

-- Exposed roles reach these tables through the views, so not even the owner escapes the policies (sql/app/row_level_security.sql).
do $$
declare
  t text;
begin
  foreach t in array array['locations', 'items', 'item_photos', 'market_values', 'item_valuations',
    'maintenance_records', 'policies', 'policy_assignments', 'item_counts', 'maintenance_counts', 'removals',
    'market_value_history', 'depreciation_changes', 'closings', 'closed_values']
  loop
    execute format('alter table app.%I enable row level security', t);
    execute format('alter table app.%I force row level security', t);
  end loop;
end
$$;

-- Nobody but the owner's functions touches these: no grants, and no policy that would let a grant show a row.
alter table app.categories enable row level security;
alter table app.studios enable row level security;
alter table app.data_versions enable row level security;
alter table app.closings_under_way enable row level security;
alter table app.heartbeats enable row level security;
alter table app.sync_state enable row level security;
alter table access.users enable row level security;
alter table access.jobs enable row level security;
alter table access.members enable row level security;
alter table access.subscriptions enable row level security;
alter table access.tokens enable row level security;
alter table access.request_activity enable row level security;
alter table access.audit_log enable row level security;
alter table access.console_sessions enable row level security;
alter table access.console_assertions enable row level security;
alter table access.console_uploads enable row level security;
alter table access.import_choices enable row level security;
alter table access.analyst_logins enable row level security;
alter table access.analyst_log enable row level security;
alter table access.analyst_statements enable row level security;

-- ------------------------------------------------------------------------------------------------ statistics

-- EXPLAIN shows estimates made from every studio's values. Columns that hold a studio's own words, numbers, ids and
-- dates therefore have no statistics.
do $$
declare
  c record;
begin
  for c in
    select a.attrelid::regclass as relation, a.attname as name
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_class r on r.oid = a.attrelid
    where r.relnamespace = 'app'::regnamespace and r.relkind = 'r' and r.relforcerowsecurity
      and a.attnum > 0 and not a.attisdropped
      and a.attname not in ('studio_id', 'archived_at')
  loop
    execute format('alter table %s alter column %I set statistics 0', c.relation, c.name);
  end loop;
end
$$;

-- What people typed or uploaded.
alter table access.members alter column name set statistics 0;
alter table access.console_uploads alter column content set statistics 0, alter column choices set statistics 0;
alter table access.import_choices alter column choices set statistics 0, alter column header set statistics 0;
alter table access.analyst_statements alter column text set statistics 0;

-- --------------------------------------------------------------------------------------------------- lengths

-- How long a text is at most that people write, in characters; a list of texts has as many together, with a comma between
-- them. access.text_lengths() reads it from the catalog. An external_key of 500 characters fits into its unique index.
do $$
declare
  longest record;
begin
  for longest in
    select l.relation, l.name, l.characters, a.atttypid = 'text[]'::regtype as is_list
    from (values
      ('app.studios', 'name timezone currency', 200),
      ('app.locations', 'external_key name address_line1 address_line2 city region postal_code', 500),
      ('app.locations', 'description', 10000),
      ('app.items', 'external_key name manufacturer model serial_number barcode', 500),
      ('app.items', 'tags', 10000),
      ('app.item_photos', 'storage_key', 1000),
      ('app.market_values', 'source', 500),
      ('app.depreciation_changes', 'external_key', 500),
      ('app.maintenance_records', 'external_key title vendor', 500),
      ('app.maintenance_records', 'description', 10000),
      ('app.policies', 'external_key name carrier policy_number policy_type', 500),
      ('app.policies', 'covered_perils location_constraints notes', 10000),
      ('app.policy_assignments', 'external_key', 500),
      ('app.policy_assignments', 'notes', 10000),
      ('access.users', 'email', 320),
      ('access.members', 'name', 200),
      ('access.tokens', 'name', 100)
    ) as listed (relation, names, characters)
    cross join lateral regexp_split_to_table(listed.names, ' ') as n (name)
    cross join lateral (select listed.relation, n.name, listed.characters) as l
    join pg_catalog.pg_attribute a on a.attrelid = l.relation::regclass and a.attname = l.name
  loop
    execute format('alter table %s add constraint length_of_%s check (char_length(%s) <= %s)', longest.relation, longest.name,
      case when longest.is_list then format($list$array_to_string(%I, ',')$list$, longest.name) else quote_ident(longest.name) end,
      longest.characters);
  end loop;
end
$$;

reset role;
