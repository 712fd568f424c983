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
