-- The clock that every rule about "now" and "today" reads. One place, so that tests can stop it.
create or replace function access.clock() returns timestamptz
language sql stable security invoker
return pg_catalog.now();

comment on function access.clock() is 'What is now and today for every rule about time.';
