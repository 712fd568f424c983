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
-- Columns without statistics leave the planner guessing: every list is made to be read in the order
-- of its index, so it is not to sort instead; and a plan that was made while a table was small, or
-- full of dead rows, would read all of it.
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
  alter role studio_writer set client_connection_check_interval = '1s';
exception when invalid_parameter_value then
  null;
end
$$;

-- A service that vanished without a word (its machine is gone, the network cut) leaves its sessions
-- behind: for half a minute instead of the system's hours. Other systems than Linux would complain
-- of these at each login.
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

-- A connection pooler keeps the service's own limit from the server; where there is none, the
-- service's comes first.
alter role studio_api set statement_timeout = '5s';
alter role studio_recorder set statement_timeout = '5s';
alter role studio_console set statement_timeout = '5s';
alter role studio_graphql set statement_timeout = '5s';
