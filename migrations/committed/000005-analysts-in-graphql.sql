--! Previous: sha1:7b51bbdf8d45db0417788dd096f7e3a660fa9c1e
--! Hash: sha1:5246d5519e5388e78ea5367c03a5f6244f6a32d2
--! Message: analysts in GraphQL

-- Analysts in GraphQL: the session of a verified identity.

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
alter role studio_graphql set search_path = '';
alter role studio_graphql set idle_in_transaction_session_timeout = '20s';
alter role studio_graphql set lock_timeout = '2s';
-- A statement whose client has gone ends; not every operating system can tell.
do $$
begin
  alter role studio_graphql set client_connection_check_interval = '1s';
exception when invalid_parameter_value then
  null;
end
$$;
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

--! Included access/functions/open_analyst_session.sql
-- Judges an analyst whose identity was verified outside, and opens the studio's session for the rest of the transaction:
-- the membership and the plan, both at this moment, so that a removed member reads nothing from the next request on.
-- The person is named by user id, else by e-mail (any case); a session without a person is refused. status 401: no
-- current member of the studio. 403: the plan includes no access. 200: the session is open.
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
      else pg_catalog.lower(u.email) = pg_catalog.lower(open_analyst_session.email)
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
  'Judges an analyst by studio and person and opens the studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_analyst_session.sql
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
  access.current_studio_id, access.current_studio_today, access.current_plan, access.current_account,
  access.open_analyst_session
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql

reset role;
