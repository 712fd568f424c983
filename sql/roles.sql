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
