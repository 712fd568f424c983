-- Deletes the details of requests older than 90 days (addresses, programs, parameters), oldest
-- first, at most at_most in a transaction, and what analysts last asked before that. Returns the
-- number of requests: call it until it returns 0. No argument chooses what to delete. Skips rows that
-- somebody is writing to.
create or replace function access.purge_activity(at_most integer default 5000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  with old as materialized (
    select a.studio_id, a.token_id, a.id from access.request_activity a
    where a.details is not null and a.at < pg_catalog.now() - interval '90 days'
    order by a.at
    limit at_most for update skip locked)
  update access.request_activity a set details = null
  from old o
  where a.studio_id = o.studio_id and a.token_id = o.token_id and a.id = o.id;
  get diagnostics purged = row_count;
  delete from access.analyst_statements s where s.last_at < pg_catalog.now() - interval '90 days';
  return purged;
end
$$;

comment on function access.purge_activity(integer) is 'Forgets the details of requests of more than 90 days ago, in parts.';
