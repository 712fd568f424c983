-- Revokes what everybody may do in a new database and nobody needs here. Run as the administrator.
-- One that is no superuser cannot revoke the catalog's functions and languages, and the audit says
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

-- Connections that the server reserves for the service (reserved_connections), since version 16.
-- Every analyst's session may be open while the service starts.
do $$
begin
  if pg_catalog.current_setting('server_version_num')::integer >= 160000 then
    execute 'grant pg_use_reserved_connections to studio_api, studio_recorder, studio_writer, studio_console, studio_graphql '
      'with inherit true, set false';
  end if;
exception when insufficient_privilege then
  raise warning 'no connections are reserved for the service: have a superuser grant pg_use_reserved_connections to its logins';
end
$$;

-- The owner reads which migrations have run (access.schema_version()).
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
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id()
    to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
