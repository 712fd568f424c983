-- How many sessions all logins have opened in this database since PostgreSQL began to count. Each costs
-- the server a process, and nothing limits how often a login comes. Needs what grants/studio_owner.sql
-- gives the owner.
create or replace function access.count_logins() returns bigint
language sql stable security definer
set search_path = ''
begin atomic
  select pg_catalog.pg_stat_get_db_sessions(d.oid)
  from pg_catalog.pg_database d where d.datname = pg_catalog.current_database();
end;

comment on function access.count_logins() is 'How many sessions all logins have opened in this database.';
