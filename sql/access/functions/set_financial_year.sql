-- Sets the financial year by which a studio's items depreciate. Values the items again and returns
-- how many show a new value. It waits for writers of the studio's items, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for another month, and what
-- access.may_manage() raises.
--   start_month  its first month, 1 to 12; null: each item has its own years
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_financial_year(studio_id uuid, start_month integer, done_by uuid default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  depreciating uuid[];
  moved integer;
  former integer;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  if start_month not between 1 and 12 then
    raise exception '% is no month', start_month using errcode = '22023', hint = 'Use 1 for January to 12 for December.';
  end if;
  perform access.may_manage(set_financial_year.studio_id, person, false);
  -- The strongest row lock: it waits for transactions that insert items, which hold a weaker lock
  -- on the studio.
  select s.financial_year_start_month into former from app.studios s where s.id = set_financial_year.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  update app.studios s set financial_year_start_month = start_month
  where s.id = set_financial_year.studio_id and s.financial_year_start_month is distinct from start_month;
  if not found then
    return 0;
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_financial_year.studio_id, 'studio.financial_year_changed', person,
    pg_catalog.format('%s → %s', coalesce(former::text, 'none'), coalesce(start_month::text, 'none')));

  perform access.enter_studio(set_financial_year.studio_id);
  select pg_catalog.array_agg(i.id) into depreciating
  from app.items i
  where i.studio_id = set_financial_year.studio_id
    and i.depreciation_method <> 'none' and i.acquisition_date is not null;
  moved := valuation.revalue(depreciating);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return moved;
end
$$;

comment on function access.set_financial_year(uuid, integer, uuid) is
  'Names the first month of a studio''s financial year, null for none; returns how many items show a new value.';
