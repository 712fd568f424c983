-- Tells every session of a role to end, even of a role that was just dropped. Returns the process
-- ids that were still there: call it until there are none.
create or replace function access.end_sessions(role oid) returns setof integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  pid integer;
begin
  for pid in
    select a.pid from pg_catalog.pg_stat_activity a
    where a.usesysid = role and a.pid <> pg_catalog.pg_backend_pid()
  loop
    perform pg_catalog.pg_terminate_backend(pid);
    return next pid;
  end loop;
end
$$;

comment on function access.end_sessions(oid) is 'Tells every session of a role to end; returns those that were still there.';
