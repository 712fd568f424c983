-- Sets how the first period of depreciation counts in a studio. Values the items again and returns
-- how many show a new value. It waits for writers of the studio's items, and new writers wait for
-- it. Raises SI404 when there is no such studio, 22023 for another word, and what
-- access.may_manage() raises.
--   convention  full_month, half_year, mid_month or day (valuation.plan_of())
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_first_period(studio_id uuid, convention text, done_by uuid default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  depreciating uuid[];
  moved integer;
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  if convention is null or convention not in ('full_month', 'half_year', 'mid_month', 'day') then
    raise exception '% is no convention', pg_catalog.quote_nullable(convention) using errcode = '22023',
      hint = 'Use full_month, half_year, mid_month or day.';
  end if;
  perform access.may_manage(set_first_period.studio_id, person, false);
  -- The strongest row lock: it waits for transactions that insert items, which hold a weaker lock
  -- on the studio.
  select s.first_period into former from app.studios s where s.id = set_first_period.studio_id for update;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  update app.studios s set first_period = convention
  where s.id = set_first_period.studio_id and s.first_period <> convention;
  if not found then
    return 0;
  end if;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (set_first_period.studio_id, 'studio.first_period_changed', person, former || ' → ' || convention);

  perform access.enter_studio(set_first_period.studio_id);
  select pg_catalog.array_agg(i.id) into depreciating
  from app.items i
  where i.studio_id = set_first_period.studio_id
    and i.depreciation_method <> 'none' and i.acquisition_date is not null;
  moved := valuation.revalue(depreciating);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return moved;
end
$$;

comment on function access.set_first_period(uuid, text, uuid) is
  'Chooses how the first period of depreciation counts in a studio; returns how many items show a new value.';
