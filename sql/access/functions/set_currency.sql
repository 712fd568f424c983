-- Corrects the currency of a studio. Amounts are not converted: they stay the same numbers
-- (app.change_currency()). It waits for writers of the studio's records and for new ones, which
-- wait for it. Raises SI404 when there is no such studio, 22023 for a code that ISO 4217 does not
-- have, and while amounts have more decimals than the currency.
create or replace function access.set_currency(studio_id uuid, currency text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  finer bigint;
begin
  -- The strongest row lock: transactions that insert records hold a weaker one on the studio.
  perform from app.studios s where s.id = set_currency.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  finer := access.finer_amounts(set_currency.studio_id, set_currency.currency);
  if finer > 0 then
    raise exception '% more decimals than % has: %', case finer when 1 then '1 amount has' else finer || ' amounts have' end,
      set_currency.currency, app.minor_units(set_currency.currency)
      using errcode = '22023', hint = 'Import them rounded first: studio export writes them.';
  end if;
  update app.studios s set currency = set_currency.currency where s.id = set_currency.studio_id;
end
$$;

comment on function access.set_currency(uuid, text) is 'Corrects the currency of a studio; its amounts stay the same numbers.';
