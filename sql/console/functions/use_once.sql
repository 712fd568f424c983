-- Records the use of something sealed; false if it was used before. Keeps the record until the
-- sealed thing expires.
--   used     sha256 of what was sealed
--   expires  until when it could be used
create or replace function console.use_once(used bytea, expires timestamptz) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from access.console_assertions a where a.expires_at < pg_catalog.now();
  insert into access.console_assertions (digest, expires_at) values (used, expires) on conflict do nothing;
  return found;
end
$$;

comment on function console.use_once(bytea, timestamptz) is
  'Takes note that something sealed was used; false when it was used before.';
