-- How many sessions all logins have opened in this database since PostgreSQL began to count. Each costs
-- the server a process, and nothing limits how often a login comes. Null without what
-- grants/studio_owner.sql gives the owner.
create or replace function access.count_logins() returns bigint
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not pg_catalog.pg_has_role('pg_read_all_stats', 'usage') then
    return null;
  end if;
  return (
    select pg_catalog.pg_stat_get_db_sessions(d.oid)
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database());
end
$$;

comment on function access.count_logins() is 'How many sessions all logins have opened in this database.';
