-- Corrects the currency of a studio. Amounts keep their numbers: nothing is converted
-- (app.change_currency()). It waits for writers of the studio's records, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for a code that is not in ISO 4217 or while
-- an amount has more decimals than the currency, and what access.may_manage() raises.
--   currency  its ISO 4217 code, three capital letters
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_currency(studio_id uuid, currency text, done_by uuid default null) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  finer bigint;
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  perform access.may_manage(set_currency.studio_id, person, false);
  -- The strongest row lock: transactions that insert records hold a weaker one on the studio.
  select s.currency into former from app.studios s where s.id = set_currency.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  finer := access.finer_amounts(set_currency.studio_id, set_currency.currency);
  if finer > 0 then
    raise exception '% more decimals than % has: %', case finer when 1 then '1 amount has' else finer || ' amounts have' end,
      set_currency.currency, app.minor_units(set_currency.currency)
      using errcode = '22023', hint = 'Import them rounded first: studio export writes them.';
  end if;
  if former = set_currency.currency then
    return;
  end if;
  update app.studios s set currency = set_currency.currency where s.id = set_currency.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_currency.studio_id, 'studio.currency_changed', person, former || ' → ' || set_currency.currency);
end
$$;

comment on function access.set_currency(uuid, text, uuid) is 'Corrects the currency of a studio; its amounts stay the same numbers.';
