-- Tells every session of a role to end, even if the role was just dropped. Returns the process ids
-- that were still there, so call it until it returns none. It also returns the processes of logins
-- in progress, of any role, because nothing shows whose a login is until it is complete. By then it
-- has a transaction, but before PostgreSQL 18 no row in pg_stat_activity.
create or replace function access.end_sessions(role oid) returns table (pid integer, is_logging_in boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  for pid, is_logging_in in
    select a.pid, false from pg_catalog.pg_stat_activity a
    where a.usesysid = role and a.pid <> pg_catalog.pg_backend_pid()
    union all
    select l.pid, true from pg_catalog.pg_locks l
    left join pg_catalog.pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and l.pid is not null
      and (a.pid is null or (a.usesysid is null and a.backend_type = 'client backend'))
  loop
    if not is_logging_in then
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    return next;
  end loop;
end
$$;

comment on function access.end_sessions(oid) is
  'Tells every session of a role to end; returns those that were still there, and the logins in progress.';
