--! Previous: sha1:ed49a3b1f78f8f3abc15a244d39a3dead5eb6931
--! Hash: sha1:7aae7a628502617c5e4c7e575958efbc8ce7edd5
--! Message: manage people, limit tokens, import in the console

-- Tokens can end and be limited to addresses, and are told from guesses without asking for each. Members are managed, plans renew, studios
-- are renamed, archived and removed; no location is inside itself. The console imports files: what was uploaded waits for its
-- confirmation. What only the REST service reads moves to a schema of its own, so that analysts' tools list views that answer; the
-- old names are dropped by the next migration: calls that have begun still read them. What an answer lacks is counted. Identities for
-- GraphQL can be as valid as an analyst's login. Logins of the service ask which history a server continues.

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
alter table access.console_uploads enable row level security,
  alter column content set statistics 0, alter column choices set statistics 0;

alter table access.tokens
  add column expires_at timestamptz(3), -- from then on it is refused; null: never
  add column addresses cidr[] -- the networks that its requests may come from; null: any
    check (cardinality(addresses) >= 1 and cardinality(addresses) <= 50 and array_position(addresses, null) is null);

alter table access.subscriptions
  add column renews text check (renews in ('month', 'year')), -- null: whoever sets the subscription sets each period
  add column archived_at timestamptz(3); -- the studio is out of use
-- What access.create_studio() set and nothing renewed.
update access.subscriptions set renews = 'month'
where status = 'active' and current_period_end = current_period_start + interval '1 month';

alter table app.studios add column removed_at timestamptz(3); -- its removal has begun

-- The audit log is about imports, members and the studio, too, and stays when the studio is removed.
alter table access.audit_log
  alter column token_id drop not null,
  alter column token_name drop not null,
  alter column token_prefix drop not null,
  add column import jsonb, -- what was imported
  add column member_user_id uuid, -- whom it is about
  add column detail text, -- the role, or the name before
  drop constraint audit_log_event_check,
  drop constraint audit_log_studio_id_fkey,
  add constraint audit_log_event_check check (event in ('token.issued', 'token.revoked', 'import',
    'member.added', 'member.role_changed', 'member.removed',
    'studio.renamed', 'studio.archived', 'studio.restored', 'studio.removed')) not valid,
  add constraint import_of_its_events check ((event = 'import') = (import is not null)) not valid,
  add constraint token_of_its_events
    check (event not like 'token.%' or (token_id is not null and token_name is not null and token_prefix is not null)) not valid;
alter table access.audit_log validate constraint audit_log_event_check,
  validate constraint import_of_its_events, validate constraint token_of_its_events;
alter table access.analyst_log drop constraint analyst_log_studio_id_fkey;

drop function api_v1.get_account(bytea, text);
drop function api_v1.get_item(bytea, uuid, text);
drop function api_v1.get_policy(bytea, uuid, text);
drop function api_v1.list_item_policies(bytea, uuid, text);
drop function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid, text, text);
drop function api_v1.list_locations(bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid);
drop function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid);
drop function api_v1.list_policies(bytea, bigint, integer, timestamptz, text, text, bigint, date, uuid);
drop function api_v1.list_removals(bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid);
drop function access.open_session(bytea, text);
drop function access.authenticate_tokens(bytea[], text[]);
drop function access.issue_token(uuid, uuid, text, uuid, text, bytea, bytea);
drop function access.set_subscription(uuid, text, text, timestamptz, timestamptz, timestamptz);
drop function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea);
drop function console.list_tokens(bytea, uuid);
drop function console.list_members(bytea, uuid);
drop function console.list_audit_log(bytea, uuid, bigint);
drop function access.list_tokens(uuid);

--! Included service/views/item_documents.sql
-- The items of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- The text is stored with the item, but with those that were not written since the column was added.
-- spec: Item object, the fields that are not "Detail only".
create or replace view service.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, api_v1.item_document(
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
    i.acquisition_date, i.depreciation_method, i.market_value_as_of, i.reported_insured_value, i.location_id,
    i.created_at, i.updated_at)) as document,
  i.barcode, i.serial_number
from app.items i
where i.archived_at is null;

comment on view service.item_documents is 'The items of the list as JSON text, for the REST service.';
--! EndIncluded service/views/item_documents.sql
--! Included service/views/item_valuations.sql
-- The projection alone, so that the item is whole when it cannot be read. For the REST service.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null".
create or replace view service.item_valuations with (security_invoker = true) as
select v.item_id, v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source, v.coverage_state,
  v.gap_amount
from app.item_valuations v;

comment on view service.item_valuations is 'The valuation of each item, for the REST service.';
--! EndIncluded service/views/item_valuations.sql
--! Included service/views/item_photos.sql
-- Where the photos of each item are stored, in order. For the REST service, which signs them.
-- spec: photo_urls.
create or replace view service.item_photos with (security_invoker = true) as
select p.item_id, p.position, p.id, p.storage_key
from app.item_photos p;

comment on view service.item_photos is 'Storage keys of the items'' photos, for the REST service.';
--! EndIncluded service/views/item_photos.sql
--! Included service/views/item_counts.sql
-- The number of live items per category and coverage state ('*' is all), in parts to be summed. For the REST service.
create or replace view service.item_counts with (security_invoker = true) as
select c.category, c.coverage_state, c.items from app.item_counts c;

comment on view service.item_counts is 'Numbers of items per category and coverage state, in parts to be summed.';
--! EndIncluded service/views/item_counts.sql
--! Included service/views/maintenance_documents.sql
-- The maintenance records as JSON text, beside the columns that filter and order them. For the REST service.
-- The text is stored with the record, but with those that were not written since the column was added.
create or replace view service.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, api_v1.maintenance_document(
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date, m.cost,
    m.vendor, m.description, m.created_at, m.updated_at)) as document
from app.maintenance_records m
where not m.item_archived;

comment on view service.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
--! EndIncluded service/views/maintenance_documents.sql
--! Included service/views/maintenance_counts.sql
-- The number of records per status ('*' is all), in parts to be summed. For the REST service.
create or replace view service.maintenance_counts with (security_invoker = true) as
select c.status, c.records from app.maintenance_counts c;

comment on view service.maintenance_counts is 'Numbers of maintenance records per status, in parts to be summed.';
--! EndIncluded service/views/maintenance_counts.sql
--! Included access/functions/entitled_plan.sql
-- The plan that a subscription entitles to at this moment; null when it includes no API access.
-- A trial runs to trial_ends_at; a canceled or past-due subscription to the end of its paid period. An archived studio has none.
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
--! Included access/functions/current_period.sql
-- The billing period of a subscription at this moment. What was set, until it has passed; then, of an active one that renews, the
-- one of the same length that contains today. It changes at midnight on the studio's calendar, when the version of the studio's
-- answers does, so that nobody is sent a cached one that has passed.
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
    period.period_start, period.period_end, studio.currency, studio.timezone
  from app.studios studio
  left join access.subscriptions s on s.studio_id = studio.id
  left join lateral access.current_period(s, studio.timezone) as period on true
  where studio.id = access.current_studio_id();
end;

comment on function access.current_account() is 'The session''s studio with its plan and billing period.';
--! EndIncluded access/functions/current_account.sql
--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: neither revoked nor expired, and their effective user is a current member. status
-- 403: the plan includes no API access, and plan_tier is null; else 200. Whoever reads it compares addresses with the client's: null
-- is any, else one of them has to contain it. For access.open_session() and access.authenticate_tokens() alone.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace view access.recognised_tokens with (security_invoker = true) as
select t.digest, t.id as token_id, t.studio_id, plan.tier as plan_tier,
  (case when plan.tier is null then 403 else 200 end)::smallint as status,
  t.addresses
from access.tokens t
join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
left join access.subscriptions s on s.studio_id = t.studio_id
cross join lateral (select access.api_plan(s) as tier) as plan
where t.revoked_at is null and (t.expires_at is null or t.expires_at > access.clock());

comment on view access.recognised_tokens is 'The tokens that are recognised at this moment, with the plan of their studio.';
--! EndIncluded access/views/recognised_tokens.sql
--! Included access/functions/authenticate_tokens.sql
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none) and the address
-- of its client (null for unknown): in their order, what access.open_session() says of each. Nothing is read and no session is
-- opened. Both are looked up for each token by their keys (offset 0): the planner does not know how many there are.
--   client_addresses  null: of none is the address known
create or replace function access.authenticate_tokens(
  token_digests bytea[], validators text[], client_addresses inet[] default null
) returns setof access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  for answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark in
    select
      case when t.token_id is null then 401 when t.status = 200 and v.version = asked.validator then 304 else t.status end,
      t.token_id, t.studio_id, t.plan_tier, v.version, case when t.token_id is not null then w.at end
    from unnest(token_digests, validators, client_addresses) with ordinality as asked (digest, validator, address, place)
    left join lateral (
      select r.* from access.recognised_tokens r
      where r.digest = asked.digest and (r.addresses is null or asked.address <<= any (r.addresses)) offset 0) as t on true
    left join lateral (
      select s.version from access.studio_versions s where s.studio_id = t.studio_id offset 0) as v on true
    cross join access.current_watermark w
    order by asked.place
  loop
    return next answer;
  end loop;
end
$$;

comment on function access.authenticate_tokens(bytea[], text[], inet[]) is
  'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included access/functions/open_session.sql
-- Authenticates a token and, when that gives 200, opens its studio's session for the rest of the transaction. One look-up by the
-- digest of the whole token, the membership of its effective user and the plan, all at this moment. status 401:
-- access.recognised_tokens does not have it, or not for this address. 403: the plan includes no API access. 304: all is well,
-- and the validator is the version of this moment. 200: all is well.
--   validator       the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
--   client_address  where the request comes from; null: unknown, which is no address that a token with a list of them accepts
create or replace function access.open_session(token_digest bytea, validator text default null, client_address inet default null)
returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier, v.version, w.at
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark
  from access.recognised_tokens t
  join access.studio_versions v on v.studio_id = t.studio_id
  cross join access.current_watermark w
  where t.digest = token_digest and (t.addresses is null or client_address <<= any (t.addresses));

  if not found then
    answer.status := 401;
  elsif answer.status = 200 and answer.version = validator then
    answer.status := 304;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea, text, inet) is
  'Authenticates a token by the sha256 digest of its text and opens its studio''s session: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/open_login_session.sql
-- Checks what the bearer of an identity of an analyst's login may do in GraphQL, and opens the studio's session for the rest
-- of the transaction. Everything is checked at this moment: that the login exists, is mapped to the studio, may log in, is
-- valid and was not rotated since the identity was issued, and the plan. So whatever ends the login ends its identities.
--   issued  when the identity was issued
-- status 401: no such login, or one that has ended. 403: the plan includes no access. 200: the session is open.
-- spec: "A caller never sees another studio's data."
create or replace function access.open_login_session(studio_id uuid, login text, issued timestamptz) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
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
--! Included access/functions/token_prefixes.sql
-- The first eight bytes of the digest of every token that was issued since a moment and is not revoked, one after the other, and
-- the moment to ask with next. With them a process tells tokens that may be good from guesses, without asking for each. They
-- authenticate nothing, and say no more of a token than its digest does. The hour is for transactions that issue and stay open.
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
--! Included app/functions/check_location.sql
-- Trigger: more than one location is a feature of the Studio plan, and the default location stays as long
-- as its studio.
-- Raises SI402 (plan) and 23514.
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
--! Included app/functions/keep.sql
-- Trigger of what a studio keeps for ever: refuses every change, whoever asks. A row leaves only with its studio: what the
-- foreign key to the studio removes is of a studio that is gone already, and access.remove_rows() removes what is of one whose
-- removal has begun. Raises 42501.
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
--! Included app/functions/refuse_cycle.sql
-- Trigger of app.locations, for each statement: no location is its own ancestor. It walks from the locations that were written up to
-- the top and locks each one that it passes, so that nobody moves one of them before this transaction has ended: of two
-- transactions that would make a cycle together one is refused, or ends in a deadlock. Raises 23514.
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
  else -- No join: app.bump_data_version() says why.
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
--! Included access/functions/may_manage.sql
-- The role of an owner or admin of a studio who manages its members, whose membership stays as it is until the end of the
-- transaction. All who manage one studio do so one after the other, because its owners are locked: each sees what the one before
-- did.
--   to_owner  whether an owner is made, changed or removed: only owners may do that
-- Raises 42501.
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
    raise exception 'only an owner or admin of the studio can manage its members' using errcode = '42501';
  elsif to_owner and role <> 'owner' then
    raise exception 'only an owner of the studio can make, change or remove an owner' using errcode = '42501';
  end if;
  return role;
end
$$;

comment on function access.may_manage(uuid, uuid, boolean) is
  'The role of an owner or admin who manages the members of a studio.';
--! EndIncluded access/functions/may_manage.sql
--! Included access/functions/keep_an_owner.sql
-- Refuses to go on when this user is the only owner of the studio. Raises SI409. To be called by whoever has called
-- access.may_manage(), so that nobody else removes another owner meanwhile.
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
-- Makes somebody a member of a studio in the name of an owner or admin, and records it in the audit log. Returns the user's id.
--   email  under which the person signs in; an unknown one makes a new user with this name (up to 100 characters, may be empty)
--   role   owner (by owners alone), admin or member
-- Raises 22023 (email, name, role), 42501 (who may), SI409 (is a member already).
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
-- Gives a member another role, in the name of an owner or admin, and records it in the audit log. The same role changes nothing.
--   role  owner, admin or member; only owners make owners or change their role
-- Raises 22023 (role), 42501 (who may), SI404 (no such member), SI409 (the last owner).
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
-- The period of a month or a year that begins with this day on a studio's calendar. renews: month or year.
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
-- Sets a studio's subscription as the billing system has it; it takes effect with the next request.
-- status: trialing (needs trial_ends_at), active, past_due or canceled. Null dates are unknown.
--   renews  month or year: an active subscription whose period has passed has the following one, of the same length, until it is
--           set again, so that nobody has to set each period; its first one begins today when no dates are given. Null: the
--           period is what was set, also when it has passed
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
-- Creates a studio with its default location, its owner (a new user when the e-mail is new) and an active subscription that renews each
-- month.
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
-- Gives a studio another name, in the name of an owner or admin, and records it in the audit log with the name before.
-- Raises 22023 (name), 42501 (who may).
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
-- Takes a studio out of use, or brings it back, in the name of an owner, and records it in the audit log. With its plan go the API,
-- GraphQL and the console's pages; its data, members and tokens stay. What is so already changes nothing. The logins of its analysts
-- are the administrator's: see access.lock_analysts().
-- Raises 42501 (who may), SI404 (a studio without a subscription).
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
--! Included access/functions/lock_analysts.sql
-- Lets the analysts of a studio log in no more, or again. To be run by an administrator, with whose rights it runs. Sessions that are
-- open end (access.end_sessions) when they may not. Returns their roles.
create or replace function access.lock_analysts(studio_id uuid, locked boolean) returns setof oid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known record;
begin
  for known in
    select l.login, r.oid from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
    where l.studio_id = lock_analysts.studio_id order by l.login
  loop
    execute pg_catalog.format('alter role %I %s', known.login, case when locked then 'nologin' else 'login' end);
    return next known.oid;
  end loop;
end
$$;

comment on function access.lock_analysts(uuid, boolean) is
  'Lets the analysts of a studio log in no more, or again; for administrators.';
--! EndIncluded access/functions/lock_analysts.sql
--! Included access/functions/forget_people.sql
-- Forgets those of the former members of a studio who are a member of no studio now: they are removed, or keep their id alone when a
-- log still names them. Whom the studio's audit log names was a member once, too.
create or replace function access.forget_people(studio_id uuid, former uuid[]) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid;
begin
  for person in
    select u.id from access.users u
    where (
      u.id = any (former)
      or u.id in (select unnest(array[l.actor_user_id, l.member_user_id, l.scope_user_id])
                  from access.audit_log l where l.studio_id = studio_id)
      or u.id in (select l.user_id from access.analyst_log l where l.studio_id = studio_id))
      and not exists (select from access.members m where m.user_id = u.id)
    order by u.id for update
  loop
    delete from access.console_sessions s where s.user_id = person;
    delete from access.console_uploads u where u.user_id = person;
    begin
      delete from access.users u where u.id = person;
    exception when foreign_key_violation then
      update access.users u set email = person || '@removed.invalid', name = '' where u.id = person;
    end;
  end loop;
end
$$;

comment on function access.forget_people(uuid, uuid[]) is
  'Forgets the former members of a studio who are a member of no other one.';
--! EndIncluded access/functions/forget_people.sql
--! Included access/functions/begin_removal.sql
-- Begins the removal of a studio, in the name of an owner, and records it in the audit log, which stays. From its commit on nobody
-- reads the studio, and it cannot be brought back; access.remove_rows() does the rest. The logins of its analysts have to be
-- dropped before. Beginning again changes nothing. Raises 42501 (who may), SI409 (a login of an analyst is left).
create or replace function access.begin_removal(studio_id uuid, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from app.studios s where s.id = begin_removal.studio_id and s.removed_at is not null;
  if found then
    return;
  end if;
  perform access.may_manage(begin_removal.studio_id, begin_removal.done_by, true);
  if exists (select from access.analyst_logins l where l.studio_id = begin_removal.studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
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
-- Removes rows of a studio whose removal has begun, about as many as at_most in a transaction; returns their number: call it until it
-- returns 0, when the studio itself is gone. The studio's audit log and the log of its analysts stay; of people who are a member
-- of no other studio nothing stays but an id, if one of these logs names them. Raises SI404 before access.begin_removal().
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
  perform access.enter_studio(studio_id);
  foreach part in array array['access.console_uploads', 'app.closed_values', 'app.closings', 'app.market_value_history',
    'app.maintenance_records', 'app.policy_assignments', 'app.items', 'app.policies', 'app.locations', 'app.removals',
    'access.request_activity', 'access.tokens', 'app.item_counts', 'app.maintenance_counts', 'app.count_changes']
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
--! Included access/functions/issue_token.sql
-- Issues a token. The caller makes the secret and hands over digests alone, so that the secret never reaches the
-- server: sha256 of 'svc_pro_<secret>' and of 'svc_studio_<secret>'; the plan at this moment picks the one that counts.
--   issued_by       must be an owner or admin of the studio now
--   scope_user_id   null, or a current member; its row stays locked until the end of the transaction
--   expires_at      from when on the token is refused; null: never
--   addresses       the networks that its requests may come from, 1 to 50; null: any
--   secret_prefix   the first four characters of the secret, for display
-- Raises 22023 (name, addresses), 22008 (expires_at), 42501 (issuer), SI402 (plan), SI404 (scope target). Writes the audit log in
-- the same transaction.
-- spec: "Issuer is an owner or admin on a plan that allows creation; scope target, if given, is a current studio member".
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
--! Included access/functions/dismiss_member.sql
-- Removes a member from a studio in the name of an owner or admin, who may be that member, and records it in the audit log.
-- The tokens that would act as that member from then on (those that the member issued, unscoped or scoped to the member) are
-- revoked, so that they stay refused when the person is added again. Tokens of others that are scoped to the member act as
-- their issuers (the foreign key of access.tokens does it); logins of analysts that are for the member end. Returns how many
-- tokens were revoked.
-- Raises 42501 (who may), SI404 (no such member), SI409 (the last owner).
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its issuer".
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
    where t.studio_id = dismiss_member.studio_id and t.issued_by = dismiss_member.user_id and t.revoked_at is null
      and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id
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
--! Included access/functions/list_members.sql
-- The members of a studio by name, with what their removal does.
--   own_tokens      working tokens that it revokes: those that the member issued, and that act as the member
--   scoped_tokens   working tokens of others that act as the member, and as their issuers afterwards
--   analyst_logins  logins of analysts that end with it
create or replace function access.list_members(studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    u.id, access.display_name(u), u.email, m.role, m.created_at::timestamptz,
    (select pg_catalog.count(*) from access.tokens t
     where t.studio_id = m.studio_id and t.issued_by = m.user_id and t.revoked_at is null
       and coalesce(t.scope_user_id, t.issued_by) = m.user_id
       and (t.expires_at is null or t.expires_at > access.clock())),
    (select pg_catalog.count(*) from access.tokens t
     where t.studio_id = m.studio_id and t.scope_user_id = m.user_id and t.issued_by <> m.user_id and t.revoked_at is null
       and (t.expires_at is null or t.expires_at > access.clock())),
    (select pg_catalog.count(*) from access.analyst_logins l where l.studio_id = m.studio_id and l.user_id = m.user_id)
  from access.members m join access.users u on u.id = m.user_id
  where m.studio_id = list_members.studio_id
  order by pg_catalog.lower(access.display_name(u)), u.email;
end;

comment on function access.list_members(uuid) is 'The members of a studio by name, with what their removal does.';
--! EndIncluded access/functions/list_members.sql
--! Included access/functions/address_texts.sql
-- Networks as people write them: a single address without the length of its network. Null for null.
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
-- The first moment after a day on a studio's calendar: when something ends whose last day it is. Null for null.
create or replace function access.end_of_day(studio_id uuid, day date) returns timestamptz
language sql stable security definer
set search_path = ''
return (select access.first_moment(day + 1, s.timezone) from app.studios s where s.id = end_of_day.studio_id);

comment on function access.end_of_day(uuid, date) is 'The first moment after a day on a studio''s calendar.';
--! EndIncluded access/functions/end_of_day.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it acts as its issuer
--   addresses          as they are written: an address without the length of its network
--   refused_for_issuer whether requests are refused because the one it acts as is no member any more
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
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer), scoped.email, access.display_name(scoped),
    access.display_name(former),
    t.revoked_at is null and t.scope_user_id is null and not exists (
      select from access.members m where m.studio_id = t.studio_id and m.user_id = t.issued_by
    ),
    t.created_at, t.last_used_at, t.revoked_at,
    t.expires_at, coalesce(t.expires_at <= access.clock(), false), access.address_texts(t.addresses)
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
--! Included access/functions/record_import.sql
-- Called in the transaction of an import from the console, after its rows were written: checks once more that whoever confirmed it may,
-- uses up the file that was confirmed, so that it is imported once, and writes the studio's audit log. What it raises undoes the import.
--   digest   that of the file and its choices, see console.keep_upload()
--   summary  what was imported: kind, file, sha256, added, changed
-- Raises what console.administrator raises, and SI409 when the file was imported, replaced or has expired meanwhile.
create or replace function access.record_import(session_digest bytea, digest bytea, summary jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  person uuid := console.administrator(session_digest, studio);
begin
  perform from access.members m where m.studio_id = studio and m.user_id = person and m.role in ('owner', 'admin') for key share;
  if not found then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  delete from access.console_uploads u
  where u.studio_id = studio and u.user_id = person and u.digest = record_import.digest and u.expires_at > pg_catalog.now();
  if not found then
    raise exception 'this file was imported, replaced or has expired' using errcode = 'SI409';
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, import) values (studio, 'import', person, summary);
end
$$;

comment on function access.record_import(bytea, bytea, jsonb) is
  'Records an import from the console in the audit log, in its transaction, and uses up the file.';
--! EndIncluded access/functions/record_import.sql
--! Included console/functions/membership.sql
-- The membership by which a session's user may see a studio's tokens, read at this moment.
-- Raises SI401 without a session, and SI404 alike for a studio that does not exist, that the user is no member of, and
-- for which the public API is off; and for one that is archived.
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
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api and s.archived_at is null
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
--! Included console/functions/administrator.sql
-- The session's user, who must be an owner or admin of the studio at this moment, whether or not its public API is on: for what
-- is not about tokens. Raises SI401 without a session, SI404 for a studio that the user is no member of, or that is archived,
-- 42501 for a member.
create or replace function console.administrator(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.signed_in(session_digest);
  held text;
begin
  select m.role into held from access.members m
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = administrator.studio_id and m.user_id = person and s.archived_at is null;
  if held is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif held not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.administrator(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/administrator.sql
--! Included console/functions/keep_upload.sql
-- Stores the file that the session's user is about to import, with how it is to be read, for an hour; it takes the place of their last
-- one for this studio. Nothing is imported.
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
  delete from access.console_uploads u where u.expires_at < pg_catalog.now();
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
-- The file that the session's user is about to import, if it is the one with this digest and an hour has not passed; else no row.
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
--! Included console/functions/list_studios.sql
-- The studios that a session's user is a current member of, archived ones left out, by name, with what the pages about them need.
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
    left join (
      access.members m
      join app.studios studio on studio.id = m.studio_id
      left join access.subscriptions s on s.studio_id = m.studio_id
    ) on m.user_id = u.id and s.archived_at is null
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
-- The current members of a studio by name, with what their removal does; see access.list_members. For owners and admins.
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
--! Included console/functions/issue_token.sql
-- Issues a token for a studio in the name of the session's user; see access.issue_token, which checks role, plan and scope.
--   last_day  the last day, on the studio's calendar, on which the token works; null: every day
-- Raises what console.manager and access.issue_token raise.
create or replace function console.issue_token(
  session_digest bytea, studio_id uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea, last_day date default null, addresses cidr[] default null
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
    issue_token.secret_prefix, issue_token.pro_digest, issue_token.studio_digest,
    access.end_of_day(issue_token.studio_id, issue_token.last_day), issue_token.addresses) t;
end
$$;

comment on function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea, date, cidr[]) is
  'Issues a token for a studio in the name of the session''s user.';
--! EndIncluded console/functions/issue_token.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins.
-- An entry is about a token, or about an import: then the token's columns are null and import says what was imported.
--   before  the id of the last entry of the page before; null for the newest
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
    select l.id, l.at::timestamptz, l.event, access.display_name(actor), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped), access.display_name(subject), l.detail, l.import
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    left join access.users subject on subject.id = l.member_user_id
    where l.studio_id = list_audit_log.studio_id and (before is null or l.id < before)
    order by l.id desc
    limit 100;
end
$$;

comment on function console.list_audit_log(bytea, uuid, bigint) is
  'A studio''s audit log, newest first, for its owners and admins.';
--! EndIncluded console/functions/list_audit_log.sql
--! Included api_v1/functions/count_items.sql
-- How many live items match. The counters know for a category, a coverage state and both. Otherwise an index is
-- read: of what is newer than updated_since, and before the watermark (null: whatever is newer); of what has the barcode or
-- the serial number.
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(
  category text, coverage_state text, updated_since timestamptz, before timestamptz, barcode text default null,
  serial_number text default null
)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  since timestamptz := coalesce(updated_since, '-infinity');
  until timestamptz := coalesce(before, 'infinity');
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if barcode is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif serial_number is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from service.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d where d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.category = category and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from service.item_documents d
    where d.category = category and d.coverage_state = coverage_state
      and d.updated_at >= updated_since and d.updated_at < until
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz, timestamptz, text, text) is 'How many live items match the filters.';
--! EndIncluded api_v1/functions/count_items.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A page may begin after a row whose key the caller knows (cursor_*);
-- otherwise that key is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   barcode, serial_number   to the character; empty: no item, since empty is not recorded, and none that is longer than 1,000 bytes
--   updated_since   also leaves out what is not before the watermark, so that whoever asks next with the newest updated_at, or
--                   with the watermark, misses nothing: what is left out, and what is not committed yet, is newer
--   validator, client_address  see access.open_session()
--   cursor_at, cursor_id           the key that a client's cursor names; the page begins after it
--   cursor_version, cursor_total   version and total of an answer whose last key that is, the page before this one to the same
--                   question: the cache's cursor, not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, barcode text default null, serial_number text default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_items(category, coverage_state, updated_since, before, barcode, serial_number)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.item_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if barcode is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif serial_number is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid, text, text, inet) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole. Without a version, so that nobody caches it.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If signing photos fails,
-- photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  document text;
  valuation record;
begin
  answer.version := null;
  -- Without it there is no answer: a lock is waited for as long as usual.
  select d.document into document from service.item_documents d where d.id = id;
  if document is null then
    return answer;
  end if;

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from service.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate
      using errcode = 'SI206', column = 'valuation';
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;
  answer.data := api_v1.valued_item(document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount);

  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    answer.photo_keys := array(
      select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'photos';
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
-- photos that cannot be read leave the rest whole, with a warning SI206, which the service logs and counts. A lock is waited for
-- half a second, so that these are missing soon. 404 for null (a malformed id), unknown, archived and another studio's alike.
--   validator, client_address  see access.open_session()
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(
  token_digest bytea, id uuid, validator text default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    perform pg_catalog.set_config('lock_timeout', '500ms', true);
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from service.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join service.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    raise warning 'an item is read in parts: SQLSTATE %', sqlstate using errcode = 'SI206', column = 'item';
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, text, inet) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included api_v1/functions/list_item_policies.sql
-- GET /items/{id}/policies: every assignment of one live item, the primary one first. The item is looked up before any
-- assignment is read; 404 as in api_v1.get_item().
-- spec: GET /items/{id}/policies, rules 1 to 3.
create or replace function api_v1.list_item_policies(
  token_digest bytea, id uuid, validator text default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
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

comment on function api_v1.list_item_policies(bytea, uuid, text, inet) is
  'GET /items/{id}/policies: the policy assignments of one live item.';
--! EndIncluded api_v1/functions/list_item_policies.sql
--! Included api_v1/functions/list_locations.sql
-- GET /locations: one page of locations, newest updated first, and the number of all that match. Cursors and the watermark as
-- in api_v1.list_items().
create or replace function api_v1.list_locations(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  after_at timestamptz := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  answer.total := (select count(*) from (
    select from api_v1.locations l where l.updated_at >= since and l.updated_at < before
    order by l.updated_at desc, l.id desc) as newer);

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select l.updated_at as at, l.id, row_to_json((select location from (select
      l.id, l.name, l.description, l.type, l.parent_id, l.address_line1, l.address_line2, l.city, l.region,
      l.postal_code, l.country_code, l.is_default,
      api_v1.rfc3339(l.created_at) as created_at, api_v1.rfc3339(l.updated_at) as updated_at
    ) as location))::text as document
    from api_v1.locations l
    where l.updated_at >= since and l.updated_at < before
      and (l.updated_at, l.id) < (after_at, after_id)
    order by l.updated_at desc, l.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.locations l where l.updated_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_locations(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /locations: a page of locations, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_locations.sql
--! Included api_v1/functions/count_maintenance.sql
-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz, before timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
begin
  if item_id is not null then
    return (select count(*) from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity') and d.updated_at < until);
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from service.maintenance_counts c
      where c.status = counted_status);
  elsif status is null then
    return (select count(*) from service.maintenance_documents d where d.updated_at >= updated_since and d.updated_at < until);
  end if;
  return (select count(*) from service.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since and d.updated_at < until);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz, timestamptz) is
  'How many maintenance records match the filters.';
--! EndIncluded api_v1/functions/count_maintenance.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from service.maintenance_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from service.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/list_policies.sql
-- GET /policies: one page of the policies that are active today, most recently started first, and their number. A policy that
-- has begun since updated_since has become visible since then, whenever it was recorded. Cursors and the watermark as in
-- api_v1.list_items(); here the key of a row is (effective_start, id).
-- spec: GET /policies; Policy activity.
create or replace function api_v1.list_policies(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at date default null,
  cursor_id uuid default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  zone text := (select a.timezone from api_v1.account a);
  after_at date := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
  left_out bigint;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  -- Counted in the order of the list, so that it is the list's index that is read.
  select count(*) filter (where active.since < before), count(*) filter (where active.since >= before)
  into answer.total, left_out
  from (
    select greatest(p.updated_at, access.first_moment(p.effective_start, zone)) as since
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
    order by p.effective_start desc, p.id desc) as active;

  select pg_catalog.array_agg(q.document), pg_catalog.array_agg(q.at), pg_catalog.array_agg(q.id)
  into documents, moments, ids
  from (
    select p.effective_start::timestamp at time zone 'UTC' as at, p.id, row_to_json((select policy from (select
      p.id, p.name, p.carrier, p.policy_number, p.policy_type, p.overall_limit, p.deductible, p.covered_perils,
      p.location_constraints, p.effective_start, p.effective_end, p.archived
    ) as policy))::text as document
    from api_v1.policies p
    where p.active and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) >= since
      and greatest(p.updated_at, access.first_moment(p.effective_start, zone)) < before
      and (p.effective_start, p.id) < (after_at, after_id)
    order by p.effective_start desc, p.id desc
    offset skipped limit per_page + 1
  ) as q;
  if left_out > 0 then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_policies(
  bytea, bigint, integer, timestamptz, text, text, bigint, date, uuid, inet) is
  'GET /policies: a page of the active policies, most recently started first, and their total.';
--! EndIncluded api_v1/functions/list_policies.sql
--! Included api_v1/functions/list_removals.sql
-- GET /removals: one page of what has left its list, most recently removed first, and the number of all that match. status 410
-- when removals since that moment are not known any more, or may be incomplete. Cursors and the watermark as in
-- api_v1.list_items().
create or replace function api_v1.list_removals(
  token_digest bytea, page bigint, per_page integer, updated_since timestamptz, validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
  since timestamptz := coalesce(updated_since, '-infinity');
  before timestamptz := case when updated_since is null then 'infinity' else coalesce(answer.watermark, 'infinity') end;
  from_cursor boolean := cursor_id is not null and (cursor_version is null or cursor_version = answer.version);
  after_at timestamptz := case when from_cursor then cursor_at else 'infinity' end;
  after_id uuid := case when from_cursor then cursor_id else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
  skipped bigint := case when from_cursor then 0 else least(page - 1, 1000000000) * per_page end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  if updated_since < access.removals_since() then
    answer.status := 410;
    return answer;
  end if;
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else (select count(*) from (
      select from api_v1.removals r where r.removed_at >= since and r.removed_at < before
      order by r.removed_at desc, r.id desc) as newer)
  end;

  select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.removed_at), pg_catalog.array_agg(p.id)
  into documents, moments, ids
  from (
    select r.removed_at, r.id, row_to_json((select removal from (select
      r.resource, r.id, r.reason, api_v1.rfc3339(r.removed_at) as removed_at
    ) as removal))::text as document
    from api_v1.removals r
    where r.removed_at >= since and r.removed_at < before
      and (r.removed_at, r.id) < (after_at, after_id)
    order by r.removed_at desc, r.id desc
    offset skipped limit per_page + 1
  ) as p;
  if before < 'infinity' and exists (select from api_v1.removals r where r.removed_at >= before) then
    answer.version := null;
  end if;
  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_removals(
  bytea, bigint, integer, timestamptz, text, text, bigint, timestamptz, uuid, inet) is
  'GET /removals: a page of what has left its list, most recently removed first, and the number of all.';
--! EndIncluded api_v1/functions/list_removals.sql
--! Included api_v1/functions/get_policy.sql
-- GET /policies/{id}: any policy of the studio with the number of its assignments, 0 when they cannot be counted, with a
-- warning SI206, which the service logs and counts. 404 for null (a malformed id), unknown and another studio's alike.
-- spec: GET /policies/{id}; assignments_count — "It is 0 when the count query fails (the policy is still returned)."
create or replace function api_v1.get_policy(
  token_digest bytea, id uuid, validator text default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
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

comment on function api_v1.get_policy(bytea, uuid, text, inet) is 'GET /policies/{id}: one policy with its number of assignments.';
--! EndIncluded api_v1/functions/get_policy.sql
--! Included api_v1/functions/get_account.sql
-- GET /account: plan tier, billing period and the number of live items, from the counters.
-- spec: GET /account.
create or replace function api_v1.get_account(
  token_digest bytea, validator text default null, client_address inet default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  answer access.answer := access.open_session(token_digest, validator, client_address);
begin
  if answer.status <> 200 then
    return answer;
  end if;
  select row_to_json(account)::text into answer.data from (
    select
      a.name, a.plan_tier, a.is_trial, api_v1.rfc3339(a.trial_ends_at) as trial_ends_at,
      api_v1.rfc3339(a.current_period_start) as current_period_start,
      api_v1.rfc3339(a.current_period_end) as current_period_end,
      api_v1.count_items(null, null, null, null) as item_count, a.currency, a.timezone
    from api_v1.account a
  ) as account;
  return answer;
end
$$;

comment on function api_v1.get_account(bytea, text, inet) is 'GET /account: plan tier, billing period, number of items.';
--! EndIncluded api_v1/functions/get_account.sql
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
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'service.item_documents', '*'),
  ('studio_api', 'SELECT', 'service.item_valuations', '*'),
  ('studio_api', 'SELECT', 'service.item_photos', '*'),
  ('studio_api', 'SELECT', 'service.item_counts', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'service.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state document'),
  ('studio_api', 'SELECT', 'app.maintenance_records', 'document'),
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
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closings', 'studio_id month_end closed_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closed_values',
    'studio_id month_end item_id name category currency current_estimated_value value_source coverage_state
     reported_insured_value gap_amount purchase_price acquisition_date depreciation_method useful_life_months
     residual_value financial_year_start_month market_value market_value_as_of manual_value replacement_cost'),
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
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at, document) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at, document) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  service.item_documents, service.item_valuations, service.item_photos, service.item_counts, service.maintenance_documents,
  service.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.token_prefixes, access.current_studio_id,
  access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.history, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_console.sql
-- The console's pool: the functions of schema console. All but those for coming and going ask for the session of a signed-in
-- user and decide by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.admit_member, console.change_role, console.dismiss_member,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log,
  console.keep_upload, console.read_upload
  to studio_console;
--! EndIncluded grants/studio_console.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller; moves the watermark. Nothing else.

grant execute on function
  access.record_activity, access.watch_analysts, access.heartbeat, access.history, access.watermark
  to studio_recorder;
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

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan, access.history,
  valuation.next_due, valuation.refresh_due, valuation.refresh, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import, access.record_import,
  app.stamp
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

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_graphql;
grant select (studio_id, month_end, closed_at) on app.closings to studio_graphql;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock, access.history, access.open_analyst_session, access.open_login_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql

reset role;
