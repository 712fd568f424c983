-- Trigger: the server must know a studio's time zone by name, and its currency is one of ISO 4217,
-- which determines the decimals of its amounts. Raises 22023. Skips the default zone, because the
-- check reads a file for each zone.
create or replace function app.check_studio() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.timezone <> 'UTC' and (tg_op = 'INSERT' or new.timezone <> old.timezone) then
    if not exists (select from pg_catalog.pg_timezone_names z where z.name = new.timezone) then
      raise exception '% is not a known time zone', pg_catalog.quote_literal(new.timezone)
        using errcode = '22023', hint = 'Use an IANA name such as Europe/Berlin.';
    end if;
  end if;
  new.minor_units := app.minor_units(new.currency);
  if new.minor_units is null then
    raise exception '% is not an ISO 4217 currency code in use', pg_catalog.quote_nullable(new.currency)
      using errcode = '22023', hint = 'Use a code such as EUR.';
  end if;
  return new;
end
$$;

comment on function app.check_studio() is 'Trigger of app.studios: a known time zone and currency.';
