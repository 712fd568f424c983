-- What access.watch_analysts and access.end_sessions need, and nothing else of the owner's uses: to
-- see what sessions are doing, and to end them. Nobody can log in as the owner. Run as the
-- administrator, who has to be allowed to pass these rights on (superusers are; so is a role with
-- CREATEROLE before version 16, and later one that holds them with ADMIN).

do $$
begin
  -- Before version 16 a role uses what it was granted either always or never.
  alter role studio_owner inherit;
  grant pg_signal_backend, pg_read_all_stats to studio_owner;
exception when insufficient_privilege then
  raise warning 'analysts are not watched: have a superuser grant pg_signal_backend, pg_read_all_stats to studio_owner';
end
$$;
