-- Sums of api_v1.items_on() in groups that add up to the total.
--   by    category, location, coverage_state or value_source; null: one group. Else raises 22023
create or replace function api_v1.sums_on(day date, by text default null)
returns table (
  key text, items integer, current_estimated_value numeric, book_value numeric, replacement_cost numeric, purchase_price numeric,
  reported_insured_value numeric, under_declared numeric, not_declared numeric, over_declared numeric,
  without_value_items integer, without_value_reported numeric
)
language plpgsql stable security definer rows 16
set search_path = ''
set jit = off
as $$
#variable_conflict use_column
declare
  decimals integer := (select a.minor_units from access.current_account() as a);
begin
  if sums_on.by not in ('category', 'location', 'coverage_state', 'value_source') then
    raise exception 'by is category, location, coverage_state or value_source, and not %', sums_on.by using errcode = '22023';
  end if;
  return query
  select
    v.key, count(*)::integer,
    round(coalesce(sum(v.current_estimated_value), 0), decimals),
    round(coalesce(sum(v.book_value), 0), decimals),
    round(coalesce(sum(v.replacement_cost), 0), decimals),
    round(coalesce(sum(v.purchase_price), 0), decimals),
    round(coalesce(sum(v.reported_insured_value) filter (where v.current_estimated_value is not null), 0), decimals),
    round(coalesce(sum(v.gap_amount) filter (where v.coverage_state = 'under_covered'), 0), decimals),
    round(coalesce(sum(v.gap_amount) filter (where v.coverage_state = 'uninsured'), 0), decimals),
    round(coalesce(-sum(v.gap_amount) filter (where v.coverage_state = 'fully_covered'), 0), decimals),
    (count(*) filter (where v.current_estimated_value is null))::integer,
    round(coalesce(sum(v.reported_insured_value) filter (where v.current_estimated_value is null), 0), decimals)
  from (
    select i.*, case sums_on.by
      when 'category' then i.category
      when 'location' then i.location_id::text
      when 'coverage_state' then i.coverage_state
      when 'value_source' then i.value_source end as key
    from valuation.assess_items(sums_on.day) as i
    where sums_on.day between '0001-01-01' and '9999-12-31'
  ) as v
  group by v.key
  order by v.key;
end
$$;

comment on function api_v1.sums_on(date, text) is
  'The values at the end of a day, past or future, summed by category, location, coverage_state or value_source; or in total.';
