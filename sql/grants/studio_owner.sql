-- Lets the owner see and end sessions, for access.watch_analysts and access.end_sessions. Nobody
-- can log in as the owner. Run as an administrator who may pass these rights on: a superuser, or a
-- role with CREATEROLE that, since version 16, also holds them with ADMIN.

do $$
begin
  -- Before version 16, the role and not the grant decides whether it inherits.
  alter role studio_owner inherit;
  grant pg_signal_backend, pg_read_all_stats to studio_owner;
exception when insufficient_privilege then
  raise warning 'analysts are not watched: have a superuser grant pg_signal_backend, pg_read_all_stats to studio_owner';
end
$$;
