-- Lets the analysts of a studio log in no more, or again. To be run by an administrator, with whose rights it runs. Sessions that are
-- open end (access.end_sessions) when they may not. Returns their roles.
create or replace function access.lock_analysts(studio_id uuid, locked boolean) returns setof oid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  known record;
begin
  for known in
    select l.login, r.oid from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
    where l.studio_id = lock_analysts.studio_id order by l.login
  loop
    execute pg_catalog.format('alter role %I %s', known.login, case when locked then 'nologin' else 'login' end);
    return next known.oid;
  end loop;
end
$$;

comment on function access.lock_analysts(uuid, boolean) is
  'Lets the analysts of a studio log in no more, or again; for administrators.';
