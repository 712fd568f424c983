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
