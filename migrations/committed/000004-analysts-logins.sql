--! Previous: sha1:6f99998d817a7e71bdc3a249e13439e26b0a7f54
--! Hash: sha1:7b51bbdf8d45db0417788dd096f7e3a660fa9c1e
--! Message: analysts logins

set local role studio_owner;

-- A login that is for somebody ends with that person's membership.
alter table access.analyst_logins
  add column statement_limit interval not null default '60 seconds'
    check (statement_limit > '0' and statement_limit <= '1 day'),
  add constraint analyst_logins_member foreign key (studio_id, user_id) references access.members on delete cascade;

-- Who was mapped to which studio, from when to when: append-only.
create table access.analyst_log (
  id bigint generated always as identity primary key,
  at timestamptz(3) not null default clock_timestamp(),
  login name not null,
  event text not null check (event in ('mapped', 'unmapped', 'rotated')),
  studio_id uuid not null references app.studios,
  user_id uuid references access.users,
  done_by name not null
);
create index analyst_log_by_login on access.analyst_log (login, id);
alter table access.analyst_log enable row level security;

insert into access.analyst_log (login, event, studio_id, user_id, at, done_by)
select login, 'mapped', studio_id, user_id, created_at, session_user from access.analyst_logins;

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
    raise exception 'an analyst''s login needs an end that lies ahead' using errcode = '22023';
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
    raise exception 'an analyst''s login needs an end that lies ahead' using errcode = '22023';
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
--   waits for a client who does not read is deaf to a cancel
--   a transaction that is idle for as long, or ten times as old, keeps locks and old row versions: its session is ended
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
      judged.login, judged.pid, case judged.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      judged.reason
    from (
      select
        s.login, s.pid,
        case
          when s.studio_id is null then 'its login is mapped to no studio'
          when s.elsewhere then 'it is connected to another database'
          when s.expired then 'its login has expired'
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
    ) as judged
    where judged.reason is not null
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

-- Comments that say which column joins which
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
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller. Nothing else.

grant execute on function access.record_activity, access.watch_analysts to studio_recorder;
--! EndIncluded grants/studio_recorder.sql
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
  access.current_studio_id, access.current_studio_today, access.current_plan, access.current_account
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql

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

  -- Large objects, advisory locks, sleeping and messages to other sessions: no use to a reader, of use to an attacker.
  -- The list of sessions shows what others call their applications: words of other studios. Messages for replication fill
  -- the disk with what is written ahead, a snapshot is a file.
  for f in
    select p.oid::regprocedure as signature
    from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace
      and (p.proname ~ '^(lo_|lo(read|write)$|pg_(try_)?advisory_|pg_sleep)'
        or p.proname in ('loread', 'lowrite', 'pg_notify', 'pg_stat_get_activity', 'pg_logical_emit_message',
          'pg_export_snapshot'))
      and (p.proacl is null or exists (
        select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE'))
  loop
    execute format('revoke execute on function %s from public', f.signature);
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
