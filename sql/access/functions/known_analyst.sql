-- The name of an analyst's login that this database has mapped. Raises SI404 for other roles and
-- for a dropped login, so that a command never changes or drops another role.
create or replace function access.known_analyst(login text) returns name
language plpgsql stable security definer
set search_path = ''
as $$
declare
  known name;
begin
  select l.login into known from access.analyst_log l where l.login = known_analyst.login::name limit 1;
  if known is null
    or not exists (
      select from access.analyst_logins l where l.login = known
      union all
      select from pg_catalog.pg_roles r where r.rolname = known)
    or exists (
      select from pg_catalog.pg_roles r
      where r.rolname = known
        and (r.rolsuper or r.rolcreaterole or not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')))
  then
    raise exception 'there is no analyst''s login %', pg_catalog.quote_literal(known_analyst.login) using errcode = 'SI404';
  end if;
  return known;
end
$$;

comment on function access.known_analyst(text) is 'The name of an analyst''s login of this database; raises when there is none.';
