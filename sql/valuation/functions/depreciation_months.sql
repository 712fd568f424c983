-- The depreciation schedule of one item, month by month up to its last charge; no rows if the item
-- does not depreciate. Values are rounded and charges are their differences, so charges add up to
-- purchase price less residual value to the cent. Ends after ten thousand years.
create or replace function valuation.depreciation_months(item_id uuid)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language plpgsql stable security definer rows 60
set search_path = ''
as $$
declare
  plan valuation.plan;
  periods valuation.period[];
  last valuation.period;
  last_value numeric;
  n integer := 1; -- the period
  age numeric;
begin
  select (valuation.plan_of(i, (select c from app.categories c where c.name = i.category), s)).* into plan
  from app.studios s join app.items i on i.studio_id = s.id
  where s.id = access.current_studio_id() and i.id = depreciation_months.item_id;
  if plan.cost is null then
    return;
  end if;
  periods := valuation.depreciate(plan, 0, 120000);
  last := periods[pg_catalog.cardinality(periods)];
  last_value := valuation.worth(array[last], last.began + last.months, plan.decimals);
  month := 0;
  closing_value := plan.cost;
  ends_on := plan.starts_on - 1;
  while closing_value > last_value and month < 120000 and ends_on < '9999-11-30' loop
    month := month + 1;
    starts_on := ends_on + 1;
    ends_on := case plan.convention
      when 'item' then (plan.starts_on + pg_catalog.make_interval(months => month))::date
      else (pg_catalog.date_trunc('month', starts_on::timestamp) + interval '1 month')::date end - 1;
    age := valuation.age(plan.convention, plan.starts_on, plan.first_year_months, plan.year_starts, ends_on + 1);
    while n < pg_catalog.cardinality(periods) and (periods[n + 1]).began <= age loop
      n := n + 1;
    end loop;
    opening_value := closing_value;
    closing_value := valuation.worth(periods[n : n], age, plan.decimals);
    charge := opening_value - closing_value;
    return next;
  end loop;
end
$$;

comment on function valuation.depreciation_months(uuid) is
  'The depreciation schedule of one item of the session''s studio, month by month until its last charge.';
