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
