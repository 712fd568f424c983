-- What PgBouncer asks for an analyst's SCRAM verifier (pgbouncer.analysts.ini). Run it as a superuser in
-- the database postgres, where no rule of ours applies, then: alter role studio_pooler password '…'.
-- It gives away verifiers of analysts' logins only, of those that are valid at this moment.
create role studio_pooler login connection limit 2;
create schema studio_pooler;
grant usage on schema studio_pooler to studio_pooler;

create function studio_pooler.verifier(name text, out login name, out verifier text)
language sql stable security definer
set search_path = ''
begin atomic
  select r.rolname, r.rolpassword
  from pg_catalog.pg_authid r
  where r.rolname = name
    and r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
    and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now())
    and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
    and r.rolpassword like 'SCRAM-SHA-256$%';
end;

revoke execute on function studio_pooler.verifier from public;
grant execute on function studio_pooler.verifier to studio_pooler;
grant connect on database postgres to studio_pooler;
