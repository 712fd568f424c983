-- How many amounts of a studio have more decimals than a currency has; null for a code that ISO
-- 4217 does not have.
create or replace function access.finer_amounts(studio_id uuid, currency text) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  places integer := app.minor_units(currency);
  found bigint;
begin
  perform access.enter_studio(finer_amounts.studio_id);
  select count(*) filter (where a.amount <> round(a.amount, places)) into found
  from (
    select pg_catalog.unnest(array[i.purchase_price, i.residual_value, i.manual_value, i.replacement_cost, i.reported_insured_value,
      i.disposal_proceeds]::numeric[]) from app.items i where i.studio_id = finer_amounts.studio_id
    union all select m.value from app.market_values m where m.studio_id = finer_amounts.studio_id
    union all select c.residual_value from app.depreciation_changes c where c.studio_id = finer_amounts.studio_id
    union all select m.cost from app.maintenance_records m where m.studio_id = finer_amounts.studio_id
    union all select pg_catalog.unnest(array[p.overall_limit, p.deductible]::numeric[])
      from app.policies p where p.studio_id = finer_amounts.studio_id
    union all select a.declared_value from app.policy_assignments a where a.studio_id = finer_amounts.studio_id
  ) as a (amount);
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return case when places is not null then found end;
end
$$;

comment on function access.finer_amounts(uuid, text) is 'How many amounts of a studio have more decimals than a currency has.';
