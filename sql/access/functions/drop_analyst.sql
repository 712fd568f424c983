-- Unmaps an analyst's login and drops it. To be run by an administrator, with whose rights it runs. From its commit on no
-- session can be opened, and one that is open sees no row; access.end_sessions then ends it.
-- A login to which somebody has granted more than its group cannot be dropped: then it stays, unmapped and without the
-- right to log in, and kept_because says why. Raises SI404 when there is no such login.
create or replace function access.drop_analyst(login text) returns table (role oid, kept_because text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known name := access.known_analyst(login);
  id oid := (select r.oid from pg_catalog.pg_roles r where r.rolname = known);
  reason text;
begin
  delete from access.analyst_logins l where l.login = known;
  if id is not null then
    execute pg_catalog.format('alter role %I nologin password null', known);
    begin
      execute pg_catalog.format('drop role %I', known);
    exception when dependent_objects_still_exist or insufficient_privilege then
      get stacked diagnostics reason = pg_exception_detail;
      reason := coalesce(nullif(reason, ''), sqlerrm);
    end;
  end if;
  return query select id, reason;
end
$$;

comment on function access.drop_analyst(text) is 'Unmaps an analyst''s login and drops it; for administrators.';
