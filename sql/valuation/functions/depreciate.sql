-- Returns the periods of a plan from the age from_age to the age to_age, in order.
-- The value starts at cost; new terms start at the carrying amount. It stops at the residual value.
--   straight_line              an equal charge each month of the useful life
--   declining_balance          each year the annual rate of the value at the year's beginning,
--                              1.5 times the straight-line rate unless the item has its own
--   double_declining_balance   the same at 2 times
-- The months of a year share its charge equally. The life's last year charges the whole remainder.
-- With a switch, straight line takes over in the first year in which it charges as much:
--   yes     an even spread of the rest over the remaining life
--   floor   the straight line from the beginning of the terms, until the residual value
-- A rate of the item's own without a switch ignores the useful life.
-- If new terms have a life that is already over, the next month charges the remainder.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciate(plan valuation.plan, from_age numeric, to_age numeric)
returns valuation.period[]
language plpgsql immutable security invoker parallel safe
set search_path = ''
as $$
declare
  found valuation.period[] := '{}';
  p valuation.period;
  t valuation.term;
  ends numeric;      -- the age at which the terms change; null: never
  life_ends numeric; -- null: never
  floor_value numeric;
  year_ends numeric;
  skipped integer;
  even_charge numeric; -- by straight line over even_months; null: it never takes over
  even_months numeric;
begin
  t := plan.terms[1];
  -- Most items depreciate by a single straight line.
  if t.rate is null and pg_catalog.cardinality(plan.terms) = 1 then
    return array[(1, null, 0, t.life, plan.cost, plan.cost - least(t.residual_value, plan.cost))::valuation.period];
  end if;
  p.opening_value := plan.cost;
  p.began := 0;
  for n in 1 .. pg_catalog.cardinality(plan.terms) loop
    t := plan.terms[n];
    ends := (plan.terms[n + 1]).age;
    if n > 1 then
      exit when t.age > greatest(to_age, 0); -- the terms of the beginning hold before it, too
      if pg_catalog.cardinality(found) > 0 then
        p.opening_value := valuation.worth(found, t.age, plan.decimals);
      end if;
      p.began := t.age;
    end if;
    continue when ends <= p.began;
    p.term := n;
    p.past_years := case when t.rate is not null then 0 end;
    floor_value := least(t.residual_value, p.opening_value);
    life_ends := case when t.method = 'none' or (t.given_rate is not null and t.rate is not null and t.switches = 'no') then null
      when t.life > p.began then t.life else p.began + 1 end;
    if t.rate is null then
      p.months := coalesce(life_ends - p.began, 1);
      p.charge := case when t.method = 'none' then 0 else p.opening_value - floor_value end;
      found := found || p;
      continue;
    end if;

    year_ends := plan.first_year_months;
    if p.began >= year_ends then
      year_ends := year_ends + 12 * (floor((p.began - year_ends) / 12) + 1);
    end if;
    -- At the end of an item's life the last year ends, and no other begins.
    skipped := floor((least(from_age, ends, life_ends) - year_ends) / 12) + 1;
    if skipped > 0 and year_ends + 12 * (skipped - 1) >= life_ends then
      skipped := skipped - 1;
    end if;
    if skipped > 0 and t.switches = 'no' then
      p.past_years := skipped;
      p.opening_value := greatest(floor_value, p.opening_value * (1 - t.rate * (year_ends - p.began) / 12)
        * power(1 - t.rate, skipped - 1));
      p.began := year_ends + 12 * (skipped - 1);
      year_ends := p.began + 12;
    end if;
    even_charge := case when t.switches <> 'no' then p.opening_value - floor_value end;
    even_months := life_ends - p.began;
    loop
      p.months := year_ends - p.began;
      p.charge := least(p.opening_value * t.rate * p.months / 12, p.opening_value - floor_value);
      if t.switches = 'yes' then
        even_charge := p.opening_value - floor_value;
        even_months := life_ends - p.began;
      end if;
      if year_ends >= life_ends or even_charge * p.months >= p.charge * even_months then
        p.charge := p.opening_value - floor_value;
        p.months := coalesce(p.charge * even_months / nullif(even_charge, 0), life_ends - p.began);
        found := found || p;
        exit;
      end if;
      found := found || p;
      -- Less than half a cent above the residual value is the residual value from then on.
      exit when year_ends > to_age or year_ends >= ends
        or p.opening_value - p.charge - floor_value < 0.5 / 10::numeric ^ plan.decimals;
      p.opening_value := round(p.opening_value - p.charge, 40);
      p.began := year_ends;
      p.past_years := p.past_years + 1;
      year_ends := year_ends + 12;
    end loop;
  end loop;
  return found;
end
$$;

comment on function valuation.depreciate(valuation.plan, numeric, numeric) is
  'The periods of a plan between two ages.';
