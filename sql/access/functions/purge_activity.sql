-- Deletes the details of requests older than 90 days (addresses, programs, parameters) and what
-- analysts last asked before that. Returns the number of requests. It has no arguments, so its caller
-- cannot choose what to delete.
create or replace function access.purge_activity() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  update access.request_activity a set details = null
  where a.details is not null and a.at < pg_catalog.now() - interval '90 days';
  get diagnostics purged = row_count;
  delete from access.analyst_statements s where s.last_at < pg_catalog.now() - interval '90 days';
  return purged;
end
$$;

comment on function access.purge_activity() is 'Forgets the details of requests of more than 90 days ago.';
