--! Previous: sha1:6c278f701d9975e48335191b8e09a19ddb276292
--! Hash: sha1:5db3908c8bdcc1ad181d37983c831ea8d0f3c513
--! Message: say what it was worth on any day

-- What everything was worth, will be worth, and why: market values are kept, so that a past day has the one that was known by
-- then; and the values of each month are closed.
set local role studio_owner;

-- Every market value that an item has had, from the day that it was known; null: it had none from that day on. Of those whose
-- day has come by some day, the one with the highest id counts.
create table app.market_value_history (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  item_id uuid not null,
  id bigint generated always as identity,
  day date not null,
  value app.amount,
  as_of timestamptz(3),
  recorded_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', pg_catalog.clock_timestamp()),
  primary key (studio_id, item_id, id) include (studio_hash, day, value, as_of),
  check ((value is null) = (as_of is null))
);
alter table app.market_value_history enable row level security;
alter table app.market_value_history force row level security;

-- Since when the months of a studio are closed, the one of this moment first: now, or when it is created.
alter table app.studios add column closes_since timestamptz(3);
alter table app.studios alter column closes_since set default access.clock();
update app.studios set closes_since = access.clock();
alter table app.studios alter column closes_since set not null;

-- Which months a studio has closed, and when it really did. A month is here when all its values are.
create table app.closings (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  month_end date not null,
  closed_at timestamptz(3) not null default pg_catalog.date_trunc('milliseconds', access.clock()),
  primary key (studio_id, month_end)
);

-- What each item was worth at the end of a closed month, and what that came from. The item may be gone.
create table app.closed_values (
  studio_id uuid not null references app.studios on delete cascade,
  studio_hash integer not null generated always as (pg_catalog.uuid_hash(studio_id) >> 1) stored,
  month_end date not null,
  item_id uuid not null,
  name text not null,
  category text not null,
  currency text not null,
  current_estimated_value app.amount,
  value_source text not null,
  coverage_state text not null,
  reported_insured_value app.amount not null,
  gap_amount numeric(14,2),
  purchase_price app.amount not null,
  acquisition_date date,
  depreciation_method text not null,
  useful_life_months integer not null,
  residual_value app.amount not null,
  financial_year_start_month integer,
  market_value app.amount,
  market_value_as_of timestamptz(3),
  manual_value app.amount,
  replacement_cost app.amount,
  primary key (studio_id, month_end, item_id)
);
create index closed_values_by_item on app.closed_values (studio_id, item_id, month_end) include (studio_hash);

alter table app.closings enable row level security;
alter table app.closings force row level security;
alter table app.closed_values enable row level security;
alter table app.closed_values force row level security;

create policy "A studio's former market values are seen and written by it alone" on app.market_value_history
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or (select access.current_studio_mask())[studio_hash]
    )
  )
  with check (studio_id = (select access.current_studio_id()));

create policy "A studio's closings are seen and written by that studio alone" on app.closings
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or (select access.current_studio_mask())[studio_hash]
    )
  )
  with check (studio_id = (select access.current_studio_id()));

create policy "A studio's closed values are seen and written by that studio alone" on app.closed_values
  as permissive for all to public
  using (
    studio_id = (select access.current_studio_id())
    and (
      (select session_user in ('studio_api', 'studio_writer'))
      or (select access.current_studio_mask())[studio_hash]
    )
  )
  with check (studio_id = (select access.current_studio_id()));

-- Columns that hold a studio's own words, numbers, ids and dates have no statistics.
do $$
declare
  c record;
begin
  for c in
    select a.attrelid::regclass as relation, a.attname as name
    from pg_catalog.pg_attribute a
    where a.attrelid in (
      'app.market_value_history'::regclass, 'app.closings'::regclass, 'app.closed_values'::regclass)
      and a.attnum > 0 and not a.attisdropped and a.attname <> 'studio_id'
  loop
    execute format('alter table %s alter column %I set statistics 0', c.relation, c.name);
  end loop;
end
$$;

--! Included valuation/functions/depreciation.sql
-- How an item depreciates, as on paper: value = opening_value - charge * months_in_period / period_months, half-up to
-- cents. The period is the useful life by the straight line, else the year that the age falls into.
do $$
begin
  if pg_catalog.to_regtype('valuation.depreciation') is null then
    create type valuation.depreciation as (
      annual_rate numeric(42,40), -- of a declining method; else null
      past_years integer,         -- that are over when the period begins; of a declining method
      opening_value numeric,      -- at the beginning of the period, not rounded
      charge numeric,             -- what the whole period takes off, not rounded
      period_months integer,
      months_in_period integer,   -- of which so many are over
      value numeric
    );
  end if;
end
$$;

comment on type valuation.depreciation is 'How an item depreciates: the arithmetic of one moment, and its value.';
--! EndIncluded valuation/functions/depreciation.sql
--! Included valuation/functions/depreciate.sql
-- Depreciates an item; null when it is not computable: method none, no purchase price, no acquisition date. The value starts
-- at the purchase price and never falls below the residual value.
--   straight_line              loses the same amount every month of the useful life
--   declining_balance          loses 150 % / useful life in years, every year, of its value at the year's beginning
--   double_declining_balance   the same with 200 %
-- A year's loss is spread evenly over its months. It is at most what is left above the residual value, and in the year in
-- which the useful life ends all of that: at the end of its life an item has its residual value by every method. A rate
-- above 100 % (a life below two years, by 150 % below one and a half) is 100 %.
-- Years are those of the asset, from its acquisition; or financial years: then the first has first_year_months months
-- (1 to 12) and loses as many twelfths. Nothing is rounded on the way: of forty decimals twenty count, so that what is half
-- a cent exactly is rounded up although rates are periodic fractions.
-- purchase_price and residual_value are money, useful_life_months whole months, months the age in whole months.
-- spec: depreciation_method — "How value is calculated."
create or replace function valuation.depreciate(
  method text, purchase_price numeric, months integer, useful_life_months integer, residual_value numeric,
  first_year_months integer
) returns valuation.depreciation
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  d valuation.depreciation;
  floor_value numeric := least(residual_value, purchase_price);
  age integer := least(greatest(months, 0), useful_life_months);
  began integer := 0; -- the month in which the period began
begin
  if method = 'none' or coalesce(purchase_price, 0) = 0 or months is null or useful_life_months is null then
    return null;
  end if;

  d.opening_value := purchase_price;
  d.charge := purchase_price - floor_value;
  d.period_months := useful_life_months;
  if method <> 'straight_line' then
    d.annual_rate := least(
      (case method when 'declining_balance' then 18 else 24 end)::numeric(42, 40) / useful_life_months, 1);
    d.past_years := 0;
    d.period_months := first_year_months;
    -- The end of its life is the end of the last year, and not the beginning of another.
    if least(age, useful_life_months - 1) >= first_year_months then
      d.past_years := 1 + (least(age, useful_life_months - 1) - first_year_months) / 12;
      began := first_year_months + 12 * (d.past_years - 1);
      d.period_months := 12;
      d.opening_value := greatest(
        purchase_price * (1 - d.annual_rate * first_year_months / 12) * power(1 - d.annual_rate, d.past_years - 1),
        floor_value);
      d.charge := d.opening_value - floor_value;
    end if;
    if useful_life_months - began > d.period_months then
      d.charge := least(d.charge, d.opening_value * d.annual_rate * d.period_months / 12);
    else
      d.period_months := useful_life_months - began;
    end if;
  end if;
  d.months_in_period := age - began;
  d.value := round(round(d.opening_value - d.charge * d.months_in_period / d.period_months, 20), 2);
  return d;
end
$$;

comment on function valuation.depreciate(text, numeric, integer, integer, numeric, integer) is
  'Depreciates an item: the arithmetic, and the value half-up to cents; null when it is not computable.';
--! EndIncluded valuation/functions/depreciate.sql
--! Included valuation/functions/breakdown.sql
-- How the value of an item comes about: what the rules take from the item, what from its category, the arithmetic of the
-- depreciation (valuation.depreciation), and what follows. revalue_on is the day on which time alone changes it; null: never.
do $$
begin
  if pg_catalog.to_regtype('valuation.breakdown') is null then
    create type valuation.breakdown as (
      useful_life_months integer,
      residual_value numeric(14,2),
      depreciates_from date,
      months integer, -- whole months since then; negative before
      first_year_months integer,
      annual_rate numeric(42,40),
      past_years integer,
      opening_value numeric,
      charge numeric,
      period_months integer,
      months_in_period integer,
      depreciated_value numeric(14,2),
      market_value numeric(14,2),
      current_estimated_value numeric(14,2),
      value_source text,
      coverage_state text,
      gap_amount numeric(14,2),
      revalue_on date
    );
  end if;
end
$$;

comment on type valuation.breakdown is 'How the value of an item comes about, and the value.';
--! EndIncluded valuation/functions/breakdown.sql
--! Included valuation/functions/value_item.sql
-- Applies the rules of valuation to one item as of a day, past or to come, and says how: depreciation, value source, coverage
-- state and gap (estimated minus insured value; negative when more is declared than the item is worth). Useful life and residual
-- value come from the item, else from its category. Pure, and never raises for a stored item.
-- market_value is the one that was known by then; null for none.
-- financial_year_start_month (1 to 12) is the first month of the studio's financial year; null when it names none. With
-- it, months count as they do in the books: from the first of the month of acquisition, which counts as a whole one.
-- spec: "Estimated value minus insured value; null when not available."
create or replace function valuation.value_item(
  item app.items, category app.categories, market_value numeric, as_of date, financial_year_start_month integer
)
returns valuation.breakdown
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown;
  d valuation.depreciation;
begin
  b.market_value := market_value;
  b.useful_life_months := coalesce(item.useful_life_months, category.useful_life_months);
  b.residual_value := coalesce(item.residual_value, round(item.purchase_price * category.residual_rate, 2));
  if item.depreciation_method <> 'none' and item.acquisition_date is not null then
    b.depreciates_from := item.acquisition_date;
    b.first_year_months := 12;
    if financial_year_start_month is not null then
      b.depreciates_from := item.acquisition_date - (extract(day from item.acquisition_date)::integer - 1);
      -- From the month of acquisition to the last of that financial year.
      b.first_year_months :=
        12 - (extract(month from b.depreciates_from)::integer - financial_year_start_month + 12) % 12;
    end if;
    b.months := valuation.whole_months(b.depreciates_from, as_of);
    d := valuation.depreciate(
      item.depreciation_method, item.purchase_price, b.months, b.useful_life_months, b.residual_value,
      b.first_year_months);
    b.annual_rate := d.annual_rate;
    b.past_years := d.past_years;
    b.opening_value := d.opening_value;
    b.charge := d.charge;
    b.period_months := d.period_months;
    b.months_in_period := d.months_in_period;
    b.depreciated_value := d.value;
  end if;

  b.value_source := valuation.value_source(
    market_value, item.manual_value, b.depreciated_value, item.purchase_price, item.replacement_cost);
  b.current_estimated_value := case b.value_source
    when 'market' then market_value
    when 'manual' then item.manual_value
    when 'depreciated' then b.depreciated_value
    when 'purchase_price' then item.purchase_price
    when 'replacement_cost' then item.replacement_cost
  end;
  b.coverage_state := valuation.coverage_state(b.current_estimated_value, item.reported_insured_value);
  b.gap_amount := b.current_estimated_value - item.reported_insured_value;

  -- The value has more to lose: it changes with the next whole month.
  if b.value_source = 'depreciated' and b.depreciated_value > least(b.residual_value, item.purchase_price)
     and b.months < b.useful_life_months then
    b.revalue_on :=
      (b.depreciates_from + pg_catalog.make_interval(months => greatest(b.months, 0) + 1))::date;
  end if;
  return b;
end
$$;

comment on function valuation.value_item(app.items, app.categories, numeric, date, integer) is
  'Applies the rules of valuation to one item as of a day, and says how.';
--! EndIncluded valuation/functions/value_item.sql
--! Included valuation/functions/assess.sql
-- What the rules of valuation say of one item as of a day, with the market value that it has now: valuation.value_item().
create or replace function valuation.assess(
  item app.items, category app.categories, as_of date, financial_year_start_month integer
)
returns valuation.assessment
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  b valuation.breakdown := valuation.value_item(item, category, item.market_value, as_of, financial_year_start_month);
begin
  return (b.current_estimated_value, b.value_source, b.coverage_state, b.gap_amount, b.revalue_on)::valuation.assessment;
end
$$;

comment on function valuation.assess(app.items, app.categories, date, integer) is
  'Applies the rules of valuation to one item as of a day.';
--! EndIncluded valuation/functions/assess.sql
--! Included valuation/functions/inventory.sql
-- The inventory of the session's studio at the end of a day: an item belongs to it from the day of its acquisition, or from the
-- day on which it was recorded when that is earlier or no acquisition is; until the day before it was archived. What is
-- archived now is not there today nor later, whatever day that is said to have been. Days are the studio's. Granted to nobody
-- but studio_owner.
--   item_id   only this item; null for all. It is compared as a range, so that one plan reads one item or all by the key; not by
--             coalesce, which may not be evaluated before row-level security, and so not by the index
create or replace function valuation.inventory(day date, item_id uuid default null)
returns table (item app.items, financial_year_start_month integer, currency text, timezone text)
language sql stable security invoker
begin atomic
  select i, s.financial_year_start_month::integer, s.currency, s.timezone
  from app.studios s
  join app.items i on i.studio_id = s.id
  where s.id = (select access.current_studio_id())
    and i.id >= case when inventory.item_id is null then '00000000-0000-0000-0000-000000000000' else inventory.item_id end
    and i.id <= case when inventory.item_id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else inventory.item_id end
    and least(i.acquisition_date, (i.created_at at time zone s.timezone)::date) <= inventory.day
    and (i.archived_at is null
      or (inventory.day < (i.archived_at at time zone s.timezone)::date
        and inventory.day < (select access.current_studio_today())));
end;

comment on function valuation.inventory(date, uuid) is 'The inventory of the session''s studio at the end of a day.';
--! EndIncluded valuation/functions/inventory.sql
--! Included valuation/functions/value_items.sql
-- The inventory of the session's studio at the end of a day, past or to come, and how every item's value at that end comes
-- about (valuation.value_item): that of the day after, so that the value of 31 March includes the charge of March. Granted to
-- nobody but studio_owner.
--   item_id   only this item; null for all
-- Of the market values whose day has come, the one recorded last counts. market_value_as_of is when it was last found to be
-- that, as far as that was by the day. A category is looked up for each item: as a join the planner, without statistics, may
-- read the items by category.
create or replace function valuation.value_items(day date, item_id uuid default null)
returns table (
  item app.items, market_value_as_of timestamptz, financial_year_start_month integer, currency text,
  breakdown valuation.breakdown
)
language sql stable security invoker
begin atomic
  select
    v.item,
    case when (v.item).market_value = market.value
        and ((v.item).market_value_as_of at time zone v.timezone)::date <= value_items.day
      then greatest((v.item).market_value_as_of, market.as_of) else market.as_of end,
    v.financial_year_start_month, v.currency, b
  from valuation.inventory(value_items.day, value_items.item_id) as v
  left join lateral (
    select h.value, h.as_of from app.market_value_history h
    where h.studio_id = (v.item).studio_id and h.item_id = (v.item).id and h.day <= value_items.day
    order by h.id desc limit 1
  ) as market on true
  cross join lateral valuation.value_item(
    v.item, (select c from app.categories c where c.name = (v.item).category), market.value, value_items.day + 1,
    v.financial_year_start_month) as b;
end;

comment on function valuation.value_items(date, uuid) is
  'The inventory of the session''s studio at the end of a day, and how every item''s value comes about.';
--! EndIncluded valuation/functions/value_items.sql
--! Included valuation/functions/explain_item.sql
-- Why an item of the session's studio is worth what the API shows today: what the rules took, which source won, which were
-- passed over and why, and the arithmetic. No row for an item that is archived or not there.
-- Arithmetic is text of one line, <expression> = <result>, or an amount with what it is. It names the rate as a fraction, 24 / 60
-- for 200 % over 60 months (18 for 150 %), because a rate in decimals may be endless; values that are not rounded to cents have up to
-- six decimals there. past_years and first_year_months are of a declining method, else null.
create or replace function valuation.explain_item(item_id uuid)
returns table (
  as_of date, purchase_price numeric, acquisition_date date, depreciation_method text, useful_life_from text,
  residual_value_from text, financial_year_start_month integer, market_value_as_of timestamptz, manual_value numeric,
  replacement_cost numeric, reported_insured_value numeric, breakdown valuation.breakdown, first_year_months integer,
  period_starts_on date, opening_arithmetic text, charge_arithmetic text, passed_over text[], arithmetic text
)
language sql stable security definer rows 1
set search_path = ''
begin atomic
  select
    today.day, i.purchase_price, i.acquisition_date, i.depreciation_method,
    case when i.useful_life_months is null then 'category' else 'item' end,
    case when i.residual_value is null then 'category' else 'item' end,
    s.financial_year_start_month::integer, i.market_value_as_of, i.manual_value, i.replacement_cost,
    i.reported_insured_value, b,
    case when b.annual_rate is not null then b.first_year_months end,
    (b.depreciates_from + pg_catalog.make_interval(
      months => least(greatest(b.months, 0), b.useful_life_months) - b.months_in_period))::date,
    case
      when b.opening_value is null then null
      when coalesce(b.past_years, 0) = 0 then pg_catalog.format('%s, what was paid', i.purchase_price)
      when b.opening_value = written.floor_value then
        pg_catalog.format('%s, the residual value: %s is not more', written.floor_value, written.product)
      else pg_catalog.format('%s = %s', written.product, written.opening_value)
    end,
    case
      when b.charge is null then null
      when b.charge = b.opening_value - written.floor_value then
        pg_catalog.format('%s - %s = %s', written.opening_value, written.floor_value, written.charge)
      else
        pg_catalog.format('%s * %s%s = %s', written.opening_value, written.rate,
          case when b.period_months < 12 then pg_catalog.format(' * %s / 12', b.period_months) end, written.charge)
    end,
    (select pg_catalog.array_agg(
        p.source || ': ' || coalesce(p.value || ' comes after ' || b.value_source, p.missing) order by p.rank)
      from (values
        (1, 'market', b.market_value, 'no market value'),
        (2, 'manual', i.manual_value, 'no manual value'),
        (3, 'depreciated', b.depreciated_value, case when i.depreciation_method = 'none' then 'the method is none'
          when i.purchase_price = 0 then 'no purchase price' else 'no acquisition date' end),
        (4, 'purchase_price', nullif(i.purchase_price, 0), 'no purchase price'),
        (5, 'replacement_cost', i.replacement_cost, 'no replacement cost')
      ) as p (rank, source, value, missing)
      where p.source <> b.value_source),
    case b.value_source
      when 'depreciated' then pg_catalog.format('%s - %s * %s / %s = %s',
        written.opening_value, written.charge, b.months_in_period, b.period_months, b.depreciated_value)
      when 'market' then pg_catalog.format('%s, the market value of %s', b.market_value,
        (i.market_value_as_of at time zone s.timezone)::date)
      when 'manual' then pg_catalog.format('%s, as the studio values it', i.manual_value)
      when 'purchase_price' then pg_catalog.format('%s, what was paid', i.purchase_price)
      when 'replacement_cost' then pg_catalog.format('%s, what a new one costs', i.replacement_cost)
      else 'nothing is known of its value'
    end
  from app.studios s
  join app.items i on i.studio_id = s.id
  cross join lateral (select access.current_studio_today() as day) as today
  cross join lateral valuation.value_item(
    i, (select c from app.categories c where c.name = i.category), i.market_value, today.day,
    s.financial_year_start_month) as b
  cross join lateral (
    select
      case when b.annual_rate = 1 then '1' else pg_catalog.format('%s / %s',
        case i.depreciation_method when 'declining_balance' then 18 else 24 end, b.useful_life_months) end as rate,
      -- Full years, beside a first one that is shorter.
      b.past_years - case when b.first_year_months < 12 then 1 else 0 end as full_years
  ) as w
  cross join lateral (
    select
      w.rate,
      pg_catalog.trim_scale(round(b.opening_value, 6)) as opening_value,
      pg_catalog.trim_scale(round(b.charge, 6)) as charge,
      pg_catalog.trim_scale(least(b.residual_value, i.purchase_price)) as floor_value,
      pg_catalog.trim_scale(i.purchase_price)
        || case when b.first_year_months < 12
          then pg_catalog.format(' * (1 - %s * %s / 12)', w.rate, b.first_year_months) else '' end
        || case when w.full_years > 0 then pg_catalog.format(' * (1 - %s)', w.rate) else '' end
        || case when w.full_years > 1 then pg_catalog.format(' ^ %s', w.full_years) else '' end as product
  ) as written
  where s.id = access.current_studio_id() and i.id = explain_item.item_id and i.archived_at is null;
end;

comment on function valuation.explain_item(uuid) is 'Why an item of the session''s studio is worth what the API shows today.';
--! EndIncluded valuation/functions/explain_item.sql
--! Included valuation/functions/depreciation_months.sql
-- The depreciation schedule of one item of the session's studio: month by month from its acquisition until the residual value
-- is reached, the value at the month's beginning, the charge and the value at its end. Charges are differences of values in cents,
-- so that their sum is the purchase price less the residual value to the cent, by every method. No row for an item that does not
-- depreciate. Months are those of the item, or of the calendar when the studio has named the first of its financial year; at most
-- those of ten thousand years.
create or replace function valuation.depreciation_months(item_id uuid)
returns table (
  month integer, starts_on date, ends_on date, opening_value numeric, charge numeric, closing_value numeric
)
language sql stable security definer rows 60
set search_path = ''
begin atomic
  select
    s.month, (s.depreciates_from + pg_catalog.make_interval(months => s.month - 1))::date,
    (s.depreciates_from + pg_catalog.make_interval(months => s.month))::date - 1,
    s.opening_value, s.opening_value - s.closing_value, s.closing_value
  from (
    select
      m.n as month, b.depreciates_from, least(b.residual_value, i.purchase_price) as floor_value,
      pg_catalog.lag(ended.value, 1, i.purchase_price::numeric) over (order by m.n) as opening_value,
      ended.value as closing_value
    from app.studios s
    join app.items i on i.studio_id = s.id
    cross join lateral valuation.value_item(
      i, (select c from app.categories c where c.name = i.category), null, '0001-01-01', s.financial_year_start_month) as b
    cross join lateral pg_catalog.generate_series(1, least(b.useful_life_months, 120000)) as m (n)
    cross join lateral (select (valuation.depreciate(
      i.depreciation_method, i.purchase_price, m.n, b.useful_life_months, b.residual_value, b.first_year_months
    )).value) as ended (value)
    where s.id = access.current_studio_id() and i.id = depreciation_months.item_id and b.depreciated_value is not null
  ) as s
  where s.opening_value > s.floor_value
  order by s.month;
end;

comment on function valuation.depreciation_months(uuid) is
  'The depreciation schedule of one item of the session''s studio, month by month until its residual value.';
--! EndIncluded valuation/functions/depreciation_months.sql
--! Included valuation/functions/depreciation_years.sql
-- What depreciates in the session's studio, by financial year (calendar year when the studio has named no first month) and
-- category: what it was worth when the year began, what was acquired, what the year takes off, what is left. From the first
-- acquisition of the category to the end of the studio's longest useful life, at most to the year 9999. Of items that are not
-- archived; by their method, whatever other value counts for them.
-- An item is valued once for each year of its life; afterwards it stays in the sums with its last value. A year has the number
-- of the calendar year in which it begins; months count from the first of that month, so a year is its months by twelve.
create or replace function valuation.depreciation_years()
returns table (
  year_start date, year_end date, category text, items bigint, opening_value numeric, additions numeric, charge numeric,
  closing_value numeric
)
language sql stable security definer rows 200
set search_path = ''
begin atomic
  with depreciating as materialized (
    select
      i.category, i.depreciation_method as method, i.purchase_price::numeric as purchase_price, life.months as life,
      b.residual_value, b.first_year_months, first_month.n as first_month,
      began.month / 12 as first_year,
      (began.month + life.months - 1 + began.later) / 12 as last_year, -- of the last charge
      (began.month + life.months) / 12 as end_year,
      -- Whole months of the item when its first year ends: one that began later than on the first is not over.
      12 - began.month % 12 - began.later as months_in_first_year
    from app.studios s
    join app.items i on i.studio_id = s.id
    cross join lateral (select coalesce(s.financial_year_start_month::integer, 1) as n) as first_month
    cross join lateral valuation.value_item(
      i, (select c from app.categories c where c.name = i.category), null, '0001-01-01', s.financial_year_start_month) as b
    cross join lateral (select least(b.useful_life_months, 120000) as months) as life
    cross join lateral (
      select
        extract(year from b.depreciates_from)::integer * 12 + extract(month from b.depreciates_from)::integer
          - first_month.n as month,
        case when extract(day from b.depreciates_from) > 1 then 1 else 0 end as later
    ) as began
    where s.id = (select access.current_studio_id()) and i.archived_at is null and b.depreciated_value is not null
  ), valued as (
    select
      d.category, d.year,
      count(*) filter (where d.year = d.first_year) as items,
      sum(d.purchase_price) filter (where d.year = d.first_year) as additions,
      sum(d.closing_value) as closing_value,
      sum(d.closing_value) filter (where d.year = d.last_year) as last_value
    from (
      select
        d.category, d.first_year, d.last_year, d.purchase_price, y.year,
        (valuation.depreciate(d.method, d.purchase_price, d.months_in_first_year + 12 * (y.year - d.first_year), d.life,
          d.residual_value, d.first_year_months)).value as closing_value
      from depreciating d
      cross join lateral pg_catalog.generate_series(d.first_year, least(d.last_year, 9999)) as y (year)
    ) as d
    group by d.category, d.year
  ), years as (
    select
      c.category, c.first_month, y.year,
      sum(coalesce(v.items, 0)) over past as items,
      coalesce(v.additions, 0) as additions,
      coalesce(v.closing_value, 0) - coalesce(v.last_value, 0) + coalesce(sum(v.last_value) over past, 0) as closing_value
    from (
      select d.category, d.first_month, pg_catalog.min(d.first_year) as first_year
      from depreciating d group by d.category, d.first_month
    ) as c
    cross join (select least(pg_catalog.max(d.end_year), 9999) as year from depreciating d) as last
    cross join lateral pg_catalog.generate_series(c.first_year, last.year) as y (year)
    left join valued v on v.category = c.category and v.year = y.year
    window past as (partition by c.category order by y.year)
  ), opened as (
    select y.*, pg_catalog.lag(y.closing_value, 1, 0::numeric) over (partition by y.category order by y.year) as opening_value
    from years y
  )
  select
    ('0001-01-01'::date + pg_catalog.make_interval(months => (o.year - 1) * 12 + o.first_month - 1))::date,
    ('0001-01-01'::date + pg_catalog.make_interval(months => o.year * 12 + o.first_month - 1))::date - 1,
    o.category, o.items::bigint, o.opening_value, o.additions, o.opening_value + o.additions - o.closing_value,
    o.closing_value
  from opened o
  order by o.year, o.category;
end;

comment on function valuation.depreciation_years() is
  'What depreciates in the session''s studio, by financial year and category.';
--! EndIncluded valuation/functions/depreciation_years.sql
--! Included valuation/functions/month_to_close.sql
-- The last day of the first month that the session's studio has not closed although it is over on its own calendar; null when
-- there is none. The first that is closed is the one in which closing began for the studio.
create or replace function valuation.month_to_close() returns date
language sql stable security definer
set search_path = ''
begin atomic
  select m.last_day
  from app.studios s
  cross join lateral (select (s.closes_since at time zone s.timezone)::date as day) as since
  cross join lateral (
    select (coalesce(
      (select pg_catalog.max(c.month_end) + 1 from app.closings c where c.studio_id = s.id),
      since.day - (extract(day from since.day)::integer - 1)
    ) + interval '1 month')::date - 1 as last_day
  ) as m
  where s.id = access.current_studio_id() and m.last_day < access.current_studio_today();
end;

comment on function valuation.month_to_close() is 'The last day of the first month that the session''s studio has to close.';
--! EndIncluded valuation/functions/month_to_close.sql
--! Included valuation/functions/close_items.sql
-- Writes down what items of the session's studio were worth at the end of a month, and what that came from.
create or replace function valuation.close_items(month_end date, item_ids uuid[]) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  insert into app.closed_values (
    studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source, coverage_state,
    reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method, useful_life_months,
    residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value, replacement_cost)
  select
    (v.item).studio_id, close_items.month_end, (v.item).id, (v.item).name, (v.item).category, v.currency,
    (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.breakdown).coverage_state,
    (v.item).reported_insured_value, (v.breakdown).gap_amount, (v.item).purchase_price, (v.item).acquisition_date,
    (v.item).depreciation_method, (v.breakdown).useful_life_months, (v.breakdown).residual_value,
    v.financial_year_start_month, (v.breakdown).market_value, v.market_value_as_of, (v.item).manual_value,
    (v.item).replacement_cost
  from valuation.value_items(close_items.month_end) as v
  where (v.item).id = any (close_items.item_ids);
end;

comment on function valuation.close_items(date, uuid[]) is 'Writes down what items were worth at the end of a month.';
--! EndIncluded valuation/functions/close_items.sql
--! Included valuation/functions/next_to_close.sql
-- The studio_hash of the next studio that has a month to close; null when there is none after that one (null: from the first):
-- as valuation.next_due().
create or replace function valuation.next_to_close(after integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if valuation.month_to_close() is not null then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_to_close(integer) is 'The studio_hash of the next studio that has a month to close.';
--! EndIncluded valuation/functions/next_to_close.sql
--! Included valuation/functions/close_month.sql
-- Closes the first month that the studio of a studio_hash has to close: writes down what every item was worth at its end, and what
-- that came from. What is written stays. At most so many items, so that a transaction stays short; the month is closed, and
-- shows, when its last item is written. Call it until nothing is due. Months of which the service was off are closed late, one
-- after the other, and say when. A studio that another session closes is left to that one.
--   studio_hash   from valuation.next_to_close(); nothing is due at any other
--   due           whether there was something to do
--   closed        items that were written
create or replace function valuation.close_month(
  studio_hash integer, at_most integer default 1000, out due boolean, out closed integer
)
language plpgsql volatile security definer
set search_path = ''
set enable_sort = off -- a batch is read in the order of its index, whatever the planner thinks of tables without statistics
set enable_bitmapscan = off
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio uuid := (select s.id from app.studios s where s.studio_hash = close_month.studio_hash);
  last_day date;
  batch uuid[];
begin
  due := false;
  closed := 0;
  if studio is null
     or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('valuation.close ' || studio, 0)) then
    return;
  end if;
  perform access.enter_studio(studio);
  last_day := valuation.month_to_close();
  if last_day is not null then
    due := true;
    batch := array(
      select (v.item).id from valuation.inventory(last_day) as v
      where (v.item).id > coalesce(
        (select c.item_id from app.closed_values c where c.studio_id = studio and c.month_end = last_day
         order by c.item_id desc limit 1), '00000000-0000-0000-0000-000000000000')
      order by (v.item).id
      limit at_most);
    closed := pg_catalog.cardinality(batch);
    perform valuation.close_items(last_day, batch);
    if closed < at_most then
      insert into app.closings (studio_id, month_end) values (studio, last_day);
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.close_month(integer, integer) is
  'Closes the first month that the studio of a studio_hash has to close; returns whether there was one, and the items written.';
--! EndIncluded valuation/functions/close_month.sql
--! Included valuation/functions/corrections_of.sql
-- What the rules say today of a month that the session's studio has closed, where that is not what was closed: one row for each
-- item, with the inputs that have changed. An item that has been recorded since for a day before has no closed value; one that has
-- been archived for a day before, or deleted, has none now. No difference between amounts of two currencies.
create or replace function valuation.corrections_of(month_end date)
returns table (
  item_id uuid, name text, category text, closed_currency text, closed_value numeric, closed_value_source text,
  closed_insured_value numeric, closed_coverage_state text, currency text, corrected_value numeric, corrected_value_source text,
  corrected_insured_value numeric, corrected_coverage_state text, difference numeric, changed text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    coalesce(c.item_id, (v.item).id), coalesce((v.item).name, c.name), coalesce((v.item).category, c.category),
    c.currency, c.current_estimated_value, c.value_source, c.reported_insured_value, c.coverage_state,
    v.currency, (v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.item).reported_insured_value,
    (v.breakdown).coverage_state,
    case when c.currency <> v.currency then null
      else coalesce((v.breakdown).current_estimated_value, 0) - coalesce(c.current_estimated_value, 0) end,
    case when c.item_id is null then array['added'] when (v.item).id is null then array['removed'] else array(
      select input.name
      from (values
        ('currency', c.currency, v.currency),
        ('purchase_price', c.purchase_price::text, (v.item).purchase_price::text),
        ('acquisition_date', c.acquisition_date::text, (v.item).acquisition_date::text),
        ('depreciation_method', c.depreciation_method, (v.item).depreciation_method),
        ('useful_life_months', c.useful_life_months::text, (v.breakdown).useful_life_months::text),
        ('residual_value', c.residual_value::text, (v.breakdown).residual_value::text),
        ('financial_year_start_month', c.financial_year_start_month::text, v.financial_year_start_month::text),
        ('market_value', c.market_value::text, (v.breakdown).market_value::text),
        ('manual_value', c.manual_value::text, (v.item).manual_value::text),
        ('replacement_cost', c.replacement_cost::text, (v.item).replacement_cost::text),
        ('reported_insured_value', c.reported_insured_value::text, (v.item).reported_insured_value::text)
      ) as input (name, closed, now)
      where input.closed is distinct from input.now) end
  from (
    select * from app.closed_values where studio_id = (select access.current_studio_id())
      and closed_values.month_end = corrections_of.month_end
  ) as c
  full join valuation.value_items(corrections_of.month_end) as v on (v.item).id = c.item_id
  where c.item_id is distinct from (v.item).id
    or c.currency is distinct from v.currency
    or c.current_estimated_value is distinct from (v.breakdown).current_estimated_value
    or c.value_source is distinct from (v.breakdown).value_source
    or c.reported_insured_value is distinct from (v.item).reported_insured_value
    or c.coverage_state is distinct from (v.breakdown).coverage_state;
end;

comment on function valuation.corrections_of(date) is
  'What the rules say today of a closed month, where that is not what was closed.';
--! EndIncluded valuation/functions/corrections_of.sql
--! Included valuation/functions/next_due.sql
-- The studio_hash of the next studio in which an item is due: time alone has changed its value, on the studio's own calendar. With
-- rebuild_missing also one in which the projection of an item is missing. Null when there is none after that one (null:
-- from the first). A studio_hash tells whoever goes from one studio to the next of no studio's id.
create or replace function valuation.next_due(after integer default null, rebuild_missing boolean default false) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if exists (select from valuation.due_items(rebuild_missing, 1)) then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_due(integer, boolean) is
  'The studio_hash of the next studio in which time alone has changed the value of an item.';
--! EndIncluded valuation/functions/next_due.sql

-- valuation.depreciate() is in the place of the one; the argument of the other has another name.
drop function valuation.depreciated_value(text, numeric, integer, integer, numeric, integer);
drop function valuation.refresh_due(integer, boolean, integer);

--! Included valuation/functions/refresh_due.sql
-- valuation.refresh_studio() for the studio whose studio_hash valuation.next_due() has named. Where no studio has it, nothing is
-- done.
create or replace function valuation.refresh_due(
  studio_hash integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = refresh_due.studio_hash;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values anew what is due in the studio of a studio_hash; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_due.sql
--! Included valuation/functions/refresh.sql
-- The refresh of all studios in one transaction, as processes of version 1.0 call it daily while an upgrade goes on. It waits for
-- nobody: what is left is refreshed soon by a process of this version. Returns how many items show a new value.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio_hash integer := valuation.next_due(null, rebuild_missing);
  refreshed record;
  total bigint := 0;
begin
  while studio_hash is not null loop
    loop
      select r.valued, r.moved into refreshed from valuation.refresh_due(studio_hash, rebuild_missing) as r;
      exit when refreshed.valued = 0;
      total := total + refreshed.moved;
    end loop;
    studio_hash := valuation.next_due(studio_hash, rebuild_missing);
  end loop;
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values anew what is due in all studios; for processes of version 1.0, until the next minor version.';
--! EndIncluded valuation/functions/refresh.sql
--! Included app/functions/record_market_values.sql
-- Trigger of app.market_values: writes down what it became, so that a past day has the market value that was known by then. It
-- is known from the day that it is dated, or from today when that is to come: the API shows it from now on. A market
-- value that is removed is written down as none, from today.
-- The same value as the one written down last adds nothing to what any day is worth, unless it is of an earlier day: it is not
-- written down again. So neither an import of the same values nor a daily look-up that finds them again adds rows.
create or replace function app.record_market_values() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  today date := access.current_studio_today();
  zone text := (select s.timezone from app.studios s where s.id = access.current_studio_id());
begin
  if tg_op = 'DELETE' then
    insert into app.market_value_history (studio_id, item_id, day)
    select b.studio_id, b.item_id, today from before b;
  else
    insert into app.market_value_history (studio_id, item_id, day, value, as_of)
    select c.studio_id, c.item_id, least((c.as_of at time zone zone)::date, today), c.value, c.as_of
    from changed c
    where not exists (
      select from (
        select h.day, h.value from app.market_value_history h
        where h.studio_id = c.studio_id and h.item_id = c.item_id order by h.id desc limit 1
      ) as last
      where last.value = c.value and last.day <= least((c.as_of at time zone zone)::date, today));
  end if;
  return null;
end
$$;

comment on function app.record_market_values() is 'Trigger of app.market_values: writes down what it became, and from which day.';
--! EndIncluded app/functions/record_market_values.sql
--! Included app/functions/keep.sql
-- Trigger of what a studio keeps for ever: refuses every change, whoever asks. A row leaves only with its studio: what the
-- foreign key to the studio removes is of a studio that is gone already. Raises 42501.
create or replace function app.keep() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (select from app.studios s where s.id = old.studio_id) then
    return old;
  end if;
  raise exception '% is append-only', tg_relid::regclass using errcode = '42501';
end
$$;

comment on function app.keep() is 'Trigger of append-only tables: refuses every change but the removal with the studio.';
--! EndIncluded app/functions/keep.sql
--! Included app/triggers/market_values.sql
-- The triggers of app.market_values. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.market_values
  for each row execute function app.require_session();

create or replace trigger copy_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.copy_market_values();
create or replace trigger copy_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.copy_market_values();

create or replace trigger record_inserted after insert on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_updated after update on app.market_values
  referencing new table as changed for each statement execute function app.record_market_values();
create or replace trigger record_deleted after delete on app.market_values
  referencing old table as before for each statement execute function app.record_market_values();
--! EndIncluded app/triggers/market_values.sql
--! Included app/triggers/market_value_history.sql
-- The triggers of app.market_value_history: what is written stays.
create or replace trigger a_require_session before insert on app.market_value_history
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.market_value_history
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.market_value_history
  for each statement execute function app.keep();
--! EndIncluded app/triggers/market_value_history.sql
--! Included app/triggers/closings.sql
-- The triggers of app.closings and app.closed_values: what is closed stays.
create or replace trigger a_require_session before insert on app.closings
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closings
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closings
  for each statement execute function app.keep();

create or replace trigger a_require_session before insert on app.closed_values
  for each row execute function app.require_session();
create or replace trigger append_only before update or delete on app.closed_values
  for each row execute function app.keep();
create or replace trigger append_only_truncate before truncate on app.closed_values
  for each statement execute function app.keep();
--! EndIncluded app/triggers/closings.sql
--! Included api_v1/functions/items_on.sql
-- The studio's equipment at the end of a day, past or to come, each item with what it was worth by then: the columns have the
-- meaning of api_v1.items. A month's depreciation is charged at its end, so 31 March includes the charge of March, and what
-- this says of today is what the API shows tomorrow. Market values count from the day that they were known; everything else is
-- as it is recorded now (what was said at the time is in api_v1.closed_values).
--   day       null, or outside the years 1 to 9999: no row
--   item_id   only this item; null for all. No row if it is not in the studio's inventory of the day
create or replace function api_v1.items_on(day date, item_id uuid default null)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, purchase_price numeric, current_estimated_value numeric, value_source text,
  reported_insured_value numeric, coverage_state text, gap_amount numeric
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    (v.item).id, (v.item).name, (v.item).manufacturer, (v.item).model, (v.item).serial_number, (v.item).barcode,
    (v.item).category, (v.item).location_id, (v.item).acquisition_date, (v.item).purchase_price::numeric(14,2),
    (v.breakdown).current_estimated_value, (v.breakdown).value_source,
    (v.item).reported_insured_value::numeric(14,2), (v.breakdown).coverage_state, (v.breakdown).gap_amount
  from valuation.value_items(items_on.day, items_on.item_id) as v
  where items_on.day between '0001-01-01' and '9999-12-31'
  order by (v.item).id;
end;

comment on function api_v1.items_on(date, uuid) is
  'The studio''s equipment at the end of a day, past or to come, each item with what it was worth by then; all, or one.';
--! EndIncluded api_v1/functions/items_on.sql
--! Included api_v1/views/workings.sql
-- Why each item is worth what the API shows today. A condition on item_id spares the other items.
create or replace view api_v1.workings with (security_invoker = true) as
select
  i.id as item_id, w.as_of,
  w.purchase_price::numeric(14,2) as purchase_price, w.acquisition_date, w.depreciation_method,
  (w.breakdown).useful_life_months, w.useful_life_from, (w.breakdown).residual_value::numeric(14,2) as residual_value,
  w.residual_value_from, w.financial_year_start_month,
  (w.breakdown).market_value::numeric(14,2) as market_value, w.market_value_as_of,
  w.manual_value::numeric(14,2) as manual_value, w.replacement_cost::numeric(14,2) as replacement_cost,
  w.reported_insured_value::numeric(14,2) as reported_insured_value,
  (w.breakdown).depreciates_from, (w.breakdown).months, (w.breakdown).annual_rate, w.first_year_months,
  (w.breakdown).past_years, w.period_starts_on,
  (w.breakdown).opening_value, (w.breakdown).charge, (w.breakdown).months_in_period, (w.breakdown).period_months,
  (w.breakdown).depreciated_value::numeric(14,2) as depreciated_value,
  (w.breakdown).current_estimated_value::numeric(14,2) as current_estimated_value, (w.breakdown).value_source,
  (w.breakdown).coverage_state, (w.breakdown).gap_amount::numeric(14,2) as gap_amount, w.passed_over,
  w.opening_arithmetic, w.charge_arithmetic, w.arithmetic
from app.items i
cross join lateral valuation.explain_item(i.id) as w
where i.archived_at is null;

comment on view api_v1.workings is
  'Why each item is worth what it is today: the inputs, the source that won, those passed over, the arithmetic.';
comment on column api_v1.workings.item_id is 'The item, joins items.id.';
comment on column api_v1.workings.as_of is 'Today on the studio''s calendar.';
comment on column api_v1.workings.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.workings.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.workings.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.workings.useful_life_months is 'Useful life in months.';
comment on column api_v1.workings.useful_life_from is 'Whose useful life that is: item or category.';
comment on column api_v1.workings.residual_value is 'Residual value, below which depreciation does not go.';
comment on column api_v1.workings.residual_value_from is
  'Whose residual value that is: item or category (a share of the purchase price).';
comment on column api_v1.workings.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio has named none.';
comment on column api_v1.workings.market_value is 'The market value; null when there is none.';
comment on column api_v1.workings.market_value_as_of is
  'When the market value was last refreshed; null when there is none.';
comment on column api_v1.workings.manual_value is 'What the studio values it at; null when it does not.';
comment on column api_v1.workings.replacement_cost is 'What a new one costs; null when not recorded.';
comment on column api_v1.workings.reported_insured_value is 'Value reported as insured; 0 when none is.';
comment on column api_v1.workings.depreciates_from is
  'From which day months are counted; null when the item does not depreciate.';
comment on column api_v1.workings.months is 'Whole months since then; negative before.';
comment on column api_v1.workings.annual_rate is 'Annual rate of a declining method; null with another.';
comment on column api_v1.workings.first_year_months is
  'How many months the first year has: 12, or those left in its financial year; null without a declining method.';
comment on column api_v1.workings.past_years is
  'How many years were over when the period below began; null without a declining method.';
comment on column api_v1.workings.period_starts_on is
  'First day of the period below: of the useful life by the straight line, else of the year.';
comment on column api_v1.workings.opening_value is 'Value at the beginning of that period, not rounded.';
comment on column api_v1.workings.charge is 'What the whole period takes off, not rounded.';
comment on column api_v1.workings.months_in_period is 'How many months of the period are over.';
comment on column api_v1.workings.period_months is 'How many months the period has.';
comment on column api_v1.workings.depreciated_value is
  'opening_value - charge * months_in_period / period_months, half-up to cents.';
comment on column api_v1.workings.current_estimated_value is
  'What the item is worth today: the value of the source that won; null when unknown.';
comment on column api_v1.workings.value_source is
  'The source that won: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.workings.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.workings.gap_amount is 'Estimated value minus insured value; null when the value is unknown.';
comment on column api_v1.workings.passed_over is 'The other sources in their order, each with why it does not count.';
comment on column api_v1.workings.opening_arithmetic is
  'How opening_value came about, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.charge_arithmetic is
  'How charge came about, in one line; null when the item does not depreciate.';
comment on column api_v1.workings.arithmetic is 'How the value came about, in one line.';
--! EndIncluded api_v1/views/workings.sql
--! Included api_v1/views/depreciation_schedule.sql
-- How every item depreciates, month by month. A condition on item_id spares the other items.
create or replace view api_v1.depreciation_schedule with (security_invoker = true) as
select
  i.id as item_id, m.month, m.starts_on, m.ends_on, m.opening_value::numeric(14,2) as opening_value,
  m.charge::numeric(14,2) as charge, m.closing_value::numeric(14,2) as closing_value
from app.items i
cross join lateral valuation.depreciation_months(i.id) as m
where i.archived_at is null;

comment on view api_v1.depreciation_schedule is 'The depreciation of each item, month by month until its residual value. Ask for one item.';
comment on column api_v1.depreciation_schedule.item_id is 'The item, joins items.id.';
comment on column api_v1.depreciation_schedule.month is 'Which month of the item''s life, from 1.';
comment on column api_v1.depreciation_schedule.starts_on is 'First day of the month.';
comment on column api_v1.depreciation_schedule.ends_on is 'Last day of the month, at whose end the charge is made.';
comment on column api_v1.depreciation_schedule.opening_value is 'Value at the beginning of the month.';
comment on column api_v1.depreciation_schedule.charge is 'What the month takes off.';
comment on column api_v1.depreciation_schedule.closing_value is 'Value at the end of the month.';
--! EndIncluded api_v1/views/depreciation_schedule.sql
--! Included api_v1/views/depreciation_years.sql
-- Depreciation by financial year and category; the studio's is the sum of its categories. All years are computed together, as
-- each begins with the values at the end of the one before.
create or replace view api_v1.depreciation_years with (security_invoker = true) as
select
  y.year_start, y.year_end, y.category, y.items, y.opening_value::numeric(16,2) as opening_value,
  y.additions::numeric(16,2) as additions, y.charge::numeric(16,2) as charge, y.closing_value::numeric(16,2) as closing_value
from valuation.depreciation_years() as y;

comment on view api_v1.depreciation_years is
  'Depreciation by financial year and category, of items that are not archived.';
comment on column api_v1.depreciation_years.year_start is
  'First day of the financial year; of the calendar year when the studio has named no first month.';
comment on column api_v1.depreciation_years.year_end is 'Last day of the financial year.';
comment on column api_v1.depreciation_years.category is 'One of the 16 categories.';
comment on column api_v1.depreciation_years.items is
  'Number of items that depreciate, acquired by the end of the year.';
comment on column api_v1.depreciation_years.opening_value is 'Their value at the beginning of the year.';
comment on column api_v1.depreciation_years.additions is 'Purchase prices of what was acquired during the year.';
comment on column api_v1.depreciation_years.charge is
  'What the year takes off: opening value and additions less the closing value.';
comment on column api_v1.depreciation_years.closing_value is 'Their value at the end of the year.';
--! EndIncluded api_v1/views/depreciation_years.sql
--! Included api_v1/views/closed_values.sql
-- What was said at the end of each month that is closed. A month that is being closed does not show yet.
create or replace view api_v1.closed_values with (security_invoker = true) as
select
  v.month_end, v.item_id, v.name, v.category,
  v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source, v.coverage_state,
  v.reported_insured_value::numeric(14,2) as reported_insured_value, v.gap_amount, v.currency,
  v.purchase_price::numeric(14,2) as purchase_price, v.acquisition_date, v.depreciation_method, v.useful_life_months,
  v.residual_value::numeric(14,2) as residual_value, v.financial_year_start_month,
  v.market_value::numeric(14,2) as market_value, v.market_value_as_of, v.manual_value::numeric(14,2) as manual_value,
  v.replacement_cost::numeric(14,2) as replacement_cost, c.closed_at
from app.closed_values v
join app.closings c on c.studio_id = v.studio_id and c.month_end = v.month_end;

comment on view api_v1.closed_values is
  'What every item was worth at the end of each closed month, and what that came from. It never changes.';
comment on column api_v1.closed_values.month_end is 'Last day of the month.';
comment on column api_v1.closed_values.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.closed_values.name is 'Name of the item at the time.';
comment on column api_v1.closed_values.category is 'Category of the item at the time.';
comment on column api_v1.closed_values.current_estimated_value is
  'What the item was worth at the end of the month; null when that was not known.';
comment on column api_v1.closed_values.value_source is
  'Where the estimate came from: market, manual, depreciated, purchase_price, replacement_cost or unknown.';
comment on column api_v1.closed_values.coverage_state is
  'fully_covered, under_covered, uninsured or value_unknown: valuation status, not insurance adequacy.';
comment on column api_v1.closed_values.reported_insured_value is 'Value reported as insured; 0 when none was.';
comment on column api_v1.closed_values.gap_amount is
  'Estimated value minus insured value; negative when more was declared.';
comment on column api_v1.closed_values.currency is 'Currency of the amounts, ISO 4217.';
comment on column api_v1.closed_values.purchase_price is 'What was paid; 0 when not recorded.';
comment on column api_v1.closed_values.acquisition_date is 'When the item was acquired; null when unknown.';
comment on column api_v1.closed_values.depreciation_method is
  'none, straight_line, declining_balance or double_declining_balance.';
comment on column api_v1.closed_values.useful_life_months is 'Useful life in months, of the item or its category.';
comment on column api_v1.closed_values.residual_value is 'Residual value, of the item or its category.';
comment on column api_v1.closed_values.financial_year_start_month is
  'First month of the financial year, 1 to 12; null when the studio had named none.';
comment on column api_v1.closed_values.market_value is 'Market value that was known; null when there was none.';
comment on column api_v1.closed_values.market_value_as_of is 'When that market value was of; null when there was none.';
comment on column api_v1.closed_values.manual_value is 'What the studio valued it at; null when it did not.';
comment on column api_v1.closed_values.replacement_cost is 'What a new one cost; null when not recorded.';
comment on column api_v1.closed_values.closed_at is
  'When the month was closed: soon after its end, or when the service ran again.';
--! EndIncluded api_v1/views/closed_values.sql
--! Included api_v1/views/corrections.sql
-- What has been corrected in months that are closed: where the rules say something else today of the end of the month. A condition
-- on month_end spares the other months.
create or replace view api_v1.corrections with (security_invoker = true) as
select
  c.month_end, x.item_id, x.name, x.category,
  x.closed_value::numeric(14,2) as closed_value, x.closed_value_source,
  x.closed_insured_value::numeric(14,2) as closed_insured_value, x.closed_coverage_state, x.closed_currency,
  x.corrected_value::numeric(14,2) as corrected_value, x.corrected_value_source,
  x.corrected_insured_value::numeric(14,2) as corrected_insured_value, x.corrected_coverage_state,
  x.currency as corrected_currency, x.difference::numeric(14,2) as difference, x.changed, c.closed_at
from app.closings c
cross join lateral valuation.corrections_of(c.month_end) as x;

comment on view api_v1.corrections is
  'Where today''s records say something else of a closed month than what was closed.';
comment on column api_v1.corrections.month_end is 'Last day of the month.';
comment on column api_v1.corrections.item_id is 'The item, joins items.id; an archived item is not found there.';
comment on column api_v1.corrections.name is 'Name of the item.';
comment on column api_v1.corrections.category is 'Category of the item.';
comment on column api_v1.corrections.closed_value is
  'The value that was closed; null when none was known or the item was not there.';
comment on column api_v1.corrections.closed_value_source is 'Its source; null when the item was not there.';
comment on column api_v1.corrections.closed_insured_value is
  'The insured value that was closed; null when the item was not there.';
comment on column api_v1.corrections.closed_coverage_state is
  'The coverage state that was closed; null when the item was not there.';
comment on column api_v1.corrections.closed_currency is
  'The currency that was closed; null when the item was not there.';
comment on column api_v1.corrections.corrected_value is
  'What today''s records say of the end of that month; null when none is known or the item is not there.';
comment on column api_v1.corrections.corrected_value_source is 'Its source; null when the item is not there.';
comment on column api_v1.corrections.corrected_insured_value is
  'The insured value of today; null when the item is not there.';
comment on column api_v1.corrections.corrected_coverage_state is
  'The coverage state by today''s records; null when the item is not there.';
comment on column api_v1.corrections.corrected_currency is 'The currency of today; null when the item is not there.';
comment on column api_v1.corrections.difference is
  'Corrected minus closed value, none counting as 0; null between two currencies.';
comment on column api_v1.corrections.changed is
  'Which inputs have changed since; added or removed for an item that was not or is not there.';
comment on column api_v1.corrections.closed_at is 'When the month was closed.';
--! EndIncluded api_v1/views/corrections.sql
--! Included api_v1/views/relationships.sql
-- Which views can be joined by which columns. PostgreSQL declares no keys on views, so no tool can find them in the
-- catalog; here a person or a script can, and each column says the same in its comment. Like every view it is empty for whom there is no
-- studio.
create or replace view api_v1.relationships with (security_invoker = true) as
select r.view_name, r.column_name, r.refers_to_view, r.refers_to_column, r.may_be_null, r.note
from (values
  ('items', 'location_id', 'locations', 'id', true, 'On the Pro plan only the default location is shown.'),
  ('locations', 'parent_id', 'locations', 'id', true, 'The location that this one is part of.'),
  ('maintenance', 'item_id', 'items', 'id', false, 'Every record finds its item.'),
  ('workings', 'item_id', 'items', 'id', false, 'One row for each item.'),
  ('depreciation_schedule', 'item_id', 'items', 'id', false, 'Only items that depreciate.'),
  ('closed_values', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('corrections', 'item_id', 'items', 'id', false, 'Items that are archived or deleted since are not shown.'),
  ('assignments', 'item_id', 'items', 'id', false, 'Items that are archived are not shown.'),
  ('assignments', 'policy_id', 'policies', 'id', false, 'Every assignment finds its policy.')
) as r (view_name, column_name, refers_to_view, refers_to_column, may_be_null, note)
where (select access.current_studio_id()) is not null;

comment on view api_v1.relationships is 'Which views can be joined by which columns; each id is unique in its view.';
comment on column api_v1.relationships.view_name is 'The view that refers to another.';
comment on column api_v1.relationships.column_name is 'The column that refers.';
comment on column api_v1.relationships.refers_to_view is 'The view that is referred to.';
comment on column api_v1.relationships.refers_to_column is 'Its key, unique there.';
comment on column api_v1.relationships.may_be_null is 'Whether the referring column can be null: then a left join keeps all rows.';
comment on column api_v1.relationships.note is 'What to know when joining.';
--! EndIncluded api_v1/views/relationships.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_valuations', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_photos', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_counts', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closings', 'studio_id month_end closed_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closed_values',
    'studio_id month_end item_id name category currency current_estimated_value value_source coverage_state
     reported_insured_value gap_amount purchase_price acquisition_date depreciation_method useful_life_months
     residual_value financial_year_start_month market_value market_value_as_of manual_value replacement_cost'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
--! Included grants/studio_writer.sql
-- The app's and the importer's writes, for one studio at a time, under row-level security. Columns that the database
-- keeps itself (studio_id and id once written, created_at, updated_at, coverage_state, copies) cannot be written.
-- Items and policies are archived, not deleted.

grant select on app.locations, app.items, app.item_photos, app.market_values, app.item_valuations,
  app.maintenance_records, app.policies, app.policy_assignments to studio_writer;

grant insert (studio_id, id, external_key, name, description, type, parent_id, address_line1, address_line2, city,
  region, postal_code, country_code, is_default) on app.locations to studio_writer;
grant update (external_key, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default) on app.locations to studio_writer;
grant delete on app.locations to studio_writer;

grant insert (studio_id, id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
  location_id, purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;
grant update (external_key, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value,
  replacement_cost, reported_insured_value, archived_at) on app.items to studio_writer;

grant insert (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_writer;
grant update (storage_key, position) on app.item_photos to studio_writer;
grant delete on app.item_photos to studio_writer;

grant insert (studio_id, item_id, value, as_of, source) on app.market_values to studio_writer;
grant update (value, as_of, source) on app.market_values to studio_writer;
grant delete on app.market_values to studio_writer;

grant insert (studio_id, id, external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date,
  cost, vendor, description) on app.maintenance_records to studio_writer;
grant update (external_key, item_id, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor,
  description) on app.maintenance_records to studio_writer;
grant delete on app.maintenance_records to studio_writer;

grant insert (studio_id, id, external_key, name, carrier, policy_number, policy_type, overall_limit, deductible,
  covered_perils, location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id,
  notes) on app.policies to studio_writer;
grant update (external_key, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, owner_user_id, source_document_id, notes)
  on app.policies to studio_writer;

grant insert (studio_id, id, external_key, item_id, policy_id, declared_value, is_primary, effective_start,
  effective_end, notes) on app.policy_assignments to studio_writer;
grant update (external_key, item_id, policy_id, declared_value, is_primary, effective_start, effective_end, notes)
  on app.policy_assignments to studio_writer;
grant delete on app.policy_assignments to studio_writer;

grant execute on function access.current_studio_id, access.current_studio_mask, access.current_plan,
  valuation.next_due, valuation.refresh_due, valuation.refresh, valuation.next_to_close, valuation.close_month,
  access.purge_removals, app.open_import,
  app.stamp
  to studio_writer;
--! EndIncluded grants/studio_writer.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.items_on,
  access.open_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql
--! Included grants/studio_graphql.sql
-- The GraphQL pool: reads the views of api_v1 that analysts read
-- too; column by column on the tables under the views, no USAGE on app.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_graphql;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_graphql;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_graphql;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_graphql;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_graphql;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_graphql;

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_graphql;
grant select (studio_id, month_end, closed_at) on app.closings to studio_graphql;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_graphql;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections
  to studio_graphql;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock, access.open_analyst_session,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_graphql;
--! EndIncluded grants/studio_graphql.sql
--! Included grants/studio_analyst.sql
-- Analysts: each is a login of this group, mapped to one studio in access.analyst_logins. They read the views of api_v1
-- in SQL; column by column on the tables under the views, no USAGE on app, nothing to write and nothing to execute that
-- is not needed by a view.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  created_at, updated_at) on app.items to studio_analyst;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_analyst;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_analyst;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at) on app.maintenance_records to studio_analyst;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at)
  on app.policies to studio_analyst;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_analyst;

grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_analyst;
grant select (studio_id, month_end, closed_at) on app.closings to studio_analyst;
grant select (studio_id, month_end, item_id, name, category, currency, current_estimated_value, value_source,
  coverage_state, reported_insured_value, gap_amount, purchase_price, acquisition_date, depreciation_method,
  useful_life_months, residual_value, financial_year_start_month, market_value, market_value_as_of, manual_value,
  replacement_cost) on app.closed_values to studio_analyst;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals, api_v1.workings, api_v1.depreciation_schedule, api_v1.depreciation_years, api_v1.closed_values,
  api_v1.corrections, api_v1.relationships
  to studio_analyst;

grant execute on function
  access.current_studio_id, access.current_studio_mask, access.current_studio_today, access.current_plan,
  access.current_account, access.clock,
  api_v1.items_on, valuation.explain_item, valuation.depreciation_months, valuation.depreciation_years,
  valuation.corrections_of
  to studio_analyst;
--! EndIncluded grants/studio_analyst.sql

-- What is known of each item's market value: the newest.
do $$
declare
  studio record;
begin
  for studio in select s.id, s.timezone, access.studio_today(s.id) as today from app.studios s loop
    perform pg_catalog.set_config('studio.id', studio.id::text, true);
    insert into app.market_value_history (studio_id, item_id, day, value, as_of)
    select m.studio_id, m.item_id, least((m.as_of at time zone studio.timezone)::date, studio.today), m.value, m.as_of
    from app.market_values m where m.studio_id = studio.id;
  end loop;
  perform pg_catalog.set_config('studio.id', '', true);
end
$$;

reset role;

--! Included grants/database.sql
-- What everybody could do in a new database and nobody needs here. Run as the administrator; where that is no
-- superuser, the catalog's own functions and languages stay as they are and the audit says so.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to studio_owner, studio_api, studio_recorder, studio_writer, '
    'studio_console, studio_graphql, studio_analyst, studio_auditor', current_database());
  -- For app.open_import. Nobody who can log in has it; the function says why.
  execute format('grant temporary on database %I to studio_owner', current_database());
end
$$;

-- The owner reads which migrations have run (access.schema_version).
grant usage on schema graphile_migrate to studio_owner;
grant select on graphile_migrate.migrations to studio_owner;

do $$
declare
  f record;
begin
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    raise warning 'not a superuser: languages and catalog functions stay open to everybody';
    return;
  end if;

  revoke usage on language plpgsql, sql from public;
  grant usage on language plpgsql, sql to studio_owner;

  for f in
    select c.signature, c.observes
    from audit.closed_functions c
    join pg_catalog.pg_proc p on p.oid = c.function
    where p.proacl is null or exists (
      select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')
  loop
    execute format('revoke execute on function %s from public', f.signature);
    if f.observes then
      execute format('grant execute on function %s to pg_read_all_stats', f.signature);
    end if;
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id() to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
