-- The name of an analyst's login that this database has ever mapped. Raises SI404 for every other role of the server: who
-- asks for an analyst to be changed or dropped must not hit anybody else.
create or replace function access.known_analyst(login text) returns name
language plpgsql stable security definer
set search_path = ''
as $$
declare
  known name;
begin
  select l.login into known from access.analyst_log l where l.login = known_analyst.login::name limit 1;
  if known is null or not exists (
    select from pg_catalog.pg_roles r
    where r.rolname = known and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
      and not r.rolsuper and not r.rolcreaterole
  ) then
    raise exception 'there is no analyst''s login %', pg_catalog.quote_literal(known_analyst.login) using errcode = 'SI404';
  end if;
  return known;
end
$$;

comment on function access.known_analyst(text) is 'The name of an analyst''s login of this database; raises when there is none.';
