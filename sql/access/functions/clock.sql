-- Every rule about "now" and "today" reads this clock, so a test can stop it here.
create or replace function access.clock() returns timestamptz
language sql stable security invoker parallel safe
return pg_catalog.now();

comment on function access.clock() is 'What is now and today for every rule about time.';
