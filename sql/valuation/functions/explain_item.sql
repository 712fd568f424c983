-- Explains an item's value as of a day: inputs, the source used, the sources skipped, arithmetic.
-- Takes the item's columns, its category's terms and valuation.current_terms(), and reads nothing.
-- Arithmetic is text of one line, "<expression> = <result>". It shows a rate as a fraction (24 / 60
-- is 200 % over 60 months), because decimals may not end, and unrounded values with six decimals.
--   past_years, first_year_months   null unless the method declines
--   manual_value   comes back as given
create or replace function valuation.explain_item(
  purchase_price app.amount, acquisition_date date, depreciation_method text, useful_life_months integer, residual_value app.amount,
  depreciation_rate numeric, switches_to_straight_line text, depreciation_changes valuation.change[], market_value app.amount,
  market_value_as_of timestamptz, inout manual_value numeric, replacement_cost app.amount, reported_insured_value app.amount,
  category text, category_life integer, category_residual_rate numeric, studio app.studios, as_of date,
  out breakdown valuation.breakdown, out useful_life_from text, out residual_value_from text, out first_year_months numeric,
  out period_starts_on date, out opening_arithmetic text, out charge_arithmetic text, out passed_over text[], out arithmetic text
)
language plpgsql immutable security definer parallel safe
set search_path = ''
as $$
declare
  i app.items;
  c app.categories;
  s app.studios := studio;
  b valuation.breakdown;
  rate text;
  first_months numeric; -- the months of the first year by these terms
  full_years integer;
  opening text;
  charge text;
  carried text;
  floor_value numeric;
  product text;
  even_months numeric; -- over which the straight line of a floor spreads even_charge
  even_charge numeric;
  period_months text;
begin
  i.purchase_price := purchase_price;
  i.acquisition_date := acquisition_date;
  i.depreciation_method := depreciation_method;
  i.useful_life_months := useful_life_months;
  i.residual_value := residual_value;
  i.depreciation_rate := depreciation_rate;
  i.switches_to_straight_line := switches_to_straight_line;
  i.depreciation_changes := depreciation_changes;
  i.manual_value := manual_value;
  i.replacement_cost := replacement_cost;
  i.reported_insured_value := reported_insured_value;
  i.category := category;
  c.useful_life_months := category_life;
  c.residual_rate := category_residual_rate;
  b := valuation.value_item(i, c, s, market_value, as_of);

  breakdown := b;
  useful_life_from := case when useful_life_months is null and b.changed_on is null then 'category' else 'item' end;
  residual_value_from := case when residual_value is null and b.changed_on is null then 'category' else 'item' end;

  if b.opening_value is not null then
    opening := pg_catalog.trim_scale(round(b.opening_value, 6));
    charge := pg_catalog.trim_scale(round(b.charge, 6));
    carried := pg_catalog.trim_scale(b.carried_value);
    floor_value := pg_catalog.trim_scale(least(b.residual_value, b.carried_value));
    rate := case
      when b.annual_rate = 1 then '1'
      when b.given_rate is not null then pg_catalog.format('%s / 100', pg_catalog.trim_scale(b.given_rate))
      else pg_catalog.format('%s / %s',
        case b.depreciation_method when 'declining_balance' then 18 else 24 end, b.useful_life_months)
    end;
    period_starts_on := case
      when b.began = 0 then b.depreciates_from
      when b.began = b.changed_at_age then b.changed_on
      when s.first_period in ('mid_month', 'day') then
        (valuation.year_of(b.depreciates_from, coalesce(s.financial_year_start_month, 1))
          + pg_catalog.make_interval(years => round((b.began - b.first_year_months) / 12)::integer + 1))::date
      else (b.depreciates_from + pg_catalog.make_interval(months => b.began::integer))::date
    end;
    if coalesce(b.past_years, 0) > 0 then
      -- The full years, and a first year that may be shorter.
      first_months := b.began - 12 * (b.past_years - 1) - b.changed_at_age;
      full_years := b.past_years - case when first_months < 12 then 1 else 0 end;
      product := carried
        || case when first_months < 12 then pg_catalog.format(' * (1 - %s * %s / 12)', rate,
          pg_catalog.trim_scale(round(first_months, 6))) else '' end
        || case full_years when 0 then '' when 1 then pg_catalog.format(' * (1 - %s)', rate)
          else pg_catalog.format(' * (1 - %s) ^ %s', rate, full_years) end;
    end if;
    opening_arithmetic := case
      when product is null and b.changed_on is null then purchase_price || ', what was paid'
      when product is null then pg_catalog.format('%s, carried over from %s', carried, b.changed_on)
      when b.opening_value = floor_value then
        pg_catalog.format('%s, the residual value: %s is not more', floor_value, product)
      else pg_catalog.format('%s = %s', product, opening)
    end;
    charge_arithmetic := case
      when b.charge = b.opening_value - floor_value then opening || ' - ' || floor_value || ' = ' || charge
      else pg_catalog.format('%s * %s%s = %s', opening, rate, case when b.period_months < 12 then
        pg_catalog.format(' * %s / 12', pg_catalog.trim_scale(round(b.period_months, 6))) end, charge)
    end;
  end if;
  period_months := pg_catalog.trim_scale(round(b.period_months, 6));
  if b.switches = 'floor' and b.period_months <> pg_catalog.trunc(b.period_months) then
    even_charge := b.carried_value - floor_value;
    even_months := case when b.useful_life_months > b.changed_at_age then b.useful_life_months - b.changed_at_age else 1 end;
    if round(b.period_months * even_charge / even_months, 20) = round(b.charge, 20) and even_charge > 0 then
      period_months := pg_catalog.format('(%s * %s / %s)', charge, pg_catalog.trim_scale(round(even_months, 6)),
        pg_catalog.trim_scale(even_charge));
    end if;
  end if;
  if b.annual_rate is not null then
    first_year_months := pg_catalog.trim_scale(b.first_year_months);
  end if;

  passed_over := pg_catalog.array_remove(array[
    case when b.value_source <> 'market' then 'market: '
      || coalesce(b.market_value || ' comes after ' || b.value_source, 'no market value') end,
    case when b.value_source <> 'manual' then 'manual: '
      || coalesce(manual_value || ' comes after ' || b.value_source, 'no manual value') end,
    case when b.value_source <> 'depreciated' then 'depreciated: '
      || coalesce(b.depreciated_value || ' comes after ' || b.value_source,
        case when b.depreciation_method = 'none' then 'the method is none'
          when purchase_price = 0 then 'no purchase price' else 'no acquisition date' end) end,
    case when b.value_source <> 'purchase_price' then 'purchase_price: '
      || coalesce(nullif(purchase_price, 0) || ' comes after ' || b.value_source, 'no purchase price') end,
    case when b.value_source <> 'replacement_cost' then 'replacement_cost: '
      || coalesce(replacement_cost || ' comes after ' || b.value_source, 'no replacement cost') end
  ], null);
  arithmetic := case b.value_source
    when 'depreciated' then opening || ' - ' || charge || ' * ' || pg_catalog.trim_scale(round(b.months_in_period, 6))
      || ' / ' || period_months || ' = ' || b.depreciated_value
    when 'market' then pg_catalog.format('%s, the market value of %s', b.market_value,
      (market_value_as_of at time zone s.timezone)::date)
    when 'manual' then pg_catalog.format('%s, as the studio values it', manual_value)
    when 'purchase_price' then purchase_price || ', what was paid'
    when 'replacement_cost' then pg_catalog.format('%s, what a new one costs', replacement_cost)
    else 'nothing is known of its value'
  end;
end
$$;

comment on function valuation.explain_item(
  app.amount, date, text, integer, app.amount, numeric, text, valuation.change[], app.amount, timestamptz, numeric,
  app.amount, app.amount, text, integer, numeric, app.studios, date) is 'Why an item is worth what the API shows as of a day.';
