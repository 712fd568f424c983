-- Returns the items of the session's studio with the terms by which they depreciate. This takes a tenth
-- of the time of valuation.plan_of() for each item. An item has a plan only if its estimates changed or
-- it switches to straight line.
--   depreciating   only items that depreciate
--   with_ends      whether an item also has a plan if its rate is given, so that its life does not
--                  count: the plan says when it ends
--   gone_on        the day of disposal, else of archiving; null for an item in the books
--   is_usual       true: the terms count; false: the plan does; null: it does not depreciate
--   life           in months; null if a given rate makes it irrelevant
--   first_year_months   null if the terms do not need it
-- Only studio_owner may call it. Each step is a query in FROM, because PostgreSQL cannot pass the
-- outer columns of a LATERAL query to parallel workers.
create or replace function valuation.item_terms(depreciating boolean, with_ends boolean)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, created_at timestamptz, is_archived boolean, gone_on date, disposal_proceeds numeric,
  purchase_price numeric, manual_value numeric, replacement_cost numeric, reported_insured_value numeric, external_key text,
  timezone text, is_usual boolean, plan valuation.plan, floor_value numeric, life integer, rate numeric,
  convention text, year_starts integer, starts_on date, first_year_months numeric, decimals integer
)
language sql stable security invoker parallel safe
begin atomic
  select
    t.id, t.name, t.manufacturer, t.model, t.serial_number, t.barcode, t.category, t.location_id, t.acquisition_date, t.created_at,
    t.is_archived, t.gone_on, t.disposal_proceeds, t.purchase_price, t.manual_value, t.replacement_cost,
    t.reported_insured_value, t.external_key, t.timezone, t.is_usual, t.plan, t.floor_value, t.life, t.rate, t.convention,
    t.year_starts, t.starts_on,
    case when t.rate is not null or t.convention <> 'item' then valuation.first_year_months(t.convention, t.year_starts, t.starts_on) end,
    t.decimals
  from (
    select
      u.*,
      case when u.is_usual is not null then valuation.starts_on(u.convention, u.year_starts, u.acquisition_date) end as starts_on,
      case when u.is_usual is not null then valuation.annual_rate(u.depreciation_method, u.whole_life, u.given_rate) end as rate,
      case when u.given_rate is null or u.depreciation_method = 'straight_line' then u.whole_life end as life,
      case when u.is_usual is not null then least(
        coalesce(u.residual_value, round(u.purchase_price * u.residual_rate, u.decimals)), u.purchase_price) end as floor_value,
      case when not u.is_usual or (item_terms.with_ends and u.is_usual and u.given_rate is not null
          and u.depreciation_method <> 'straight_line')
        then valuation.plan_of(u.item, u.of_category, u.studio) end as plan
    from (
      select
        i.*, coalesce(i.disposed_on, (i.archived_at at time zone s.timezone)::date) as gone_on, i.archived_at is not null as is_archived,
        s.timezone, s.minor_units::integer as decimals, s as studio,
        c.c as of_category, c.residual_rate, coalesce(i.useful_life_months, c.useful_life_months) as whole_life,
        coalesce(i.depreciation_rate, t.depreciation_rate) as given_rate,
        case when i.depreciates then i.depreciation_changes is null and (i.depreciation_method = 'straight_line'
          or coalesce(i.switches_to_straight_line, t.switches_to_straight_line, 'no') = 'no') end as is_usual,
        case when s.first_period = 'full_month' and s.financial_year_start_month is null then 'item' else s.first_period end
          as convention,
        coalesce(s.financial_year_start_month, 1)::integer as year_starts
      from app.studios s
      cross join (
        select
          i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.location_id, i.acquisition_date,
          i.created_at::timestamptz as created_at, i.archived_at, i.disposed_on, i.disposal_proceeds::numeric as disposal_proceeds,
          i.purchase_price::numeric as purchase_price, i.manual_value::numeric as manual_value,
          i.replacement_cost::numeric as replacement_cost, i.reported_insured_value::numeric as reported_insured_value,
          i.external_key, i.depreciation_method, i.depreciation_changes, i.useful_life_months, i.depreciation_rate,
          i.switches_to_straight_line, i.residual_value::numeric as residual_value,
          (i.depreciation_method <> 'none' or i.depreciation_changes is not null) and i.purchase_price <> 0
            and i.acquisition_date is not null as depreciates,
          -- PostgreSQL takes long to make a whole row, so it makes one only for items that need a
          -- plan. This condition must cover all of them: without the row, plan_of() finds no
          -- depreciation.
          case when i.depreciation_changes is not null or (i.depreciation_method in ('declining_balance', 'double_declining_balance')
              and (i.switches_to_straight_line <> 'no' or i.depreciation_rate is not null
                or (select s.category_terms is not null from app.studios s where s.id = (select access.current_studio_id()))))
            then i end as item
        from app.items i
        where i.studio_id = (select access.current_studio_id())
          and (not item_terms.depreciating or (i.depreciation_method <> 'none' or i.depreciation_changes is not null)
            and i.purchase_price <> 0 and i.acquisition_date is not null)
        offset '0'
      ) as i
      -- PostgreSQL reads this once, even for a login that is set to use indexes.
      left join (select c, c.name, c.useful_life_months, c.residual_rate from app.categories c offset '0') as c on c.name = i.category
      left join pg_catalog.unnest((
        select s.category_terms from app.studios s where s.id = (select access.current_studio_id()))) as t on t.category = i.category
      where s.id = (select access.current_studio_id())
      offset '0'
    ) as u
    offset '0'
  ) as t
  offset '0';
end;

comment on function valuation.item_terms(boolean, boolean) is
  'The items of the session''s studio and the terms by which they depreciate.';
