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
