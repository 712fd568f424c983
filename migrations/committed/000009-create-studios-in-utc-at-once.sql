--! Previous: sha1:49e6a6e6dd81431498e9312da0730550ddbc2459
--! Hash: sha1:11d9dec04cf07c8a0f02ddbaae1fade89d92d336
--! Message: create studios in utc at once

-- A studio in UTC is created without reading every time zone that the server knows.
set local role studio_owner;

--! Included app/functions/check_studio.sql
-- Trigger: a studio's time zone is one that the server knows by name. Raises 22023. It reads a file for each of them, which the
-- default is spared.
create or replace function app.check_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.timezone <> 'UTC' and (tg_op = 'INSERT' or new.timezone <> old.timezone) then
    if not exists (select from pg_catalog.pg_timezone_names z where z.name = new.timezone) then
      raise exception '% is no time zone', pg_catalog.quote_literal(new.timezone)
        using errcode = '22023', hint = 'Use an IANA name such as Europe/Berlin.';
    end if;
  end if;
  return new;
end
$$;

comment on function app.check_studio() is 'Trigger of app.studios: a known time zone.';
--! EndIncluded app/functions/check_studio.sql

reset role;
