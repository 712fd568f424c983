-- The terms of an item whose estimates never changed and that does not switch to straight line, at
-- a tenth of the cost of valuation.plan_of(). Other items have is_usual false; their plan counts.
--   category_life … category_switches   a row of valuation.category_terms()
--   life   in months; null if a given rate makes it irrelevant
--   first_year_months   null if the terms do not need it
create or replace function valuation.usual_terms(
  item app.items, studio app.studios, category_life integer, category_residual_rate numeric, category_rate numeric,
  category_switches text
)
returns table (
  is_usual boolean, cost numeric, floor_value numeric, life integer, rate numeric, convention text, year_starts integer, starts_on date,
  first_year_months numeric, decimals integer
)
language sql immutable security invoker
begin atomic
  select
    t.is_usual, t.cost, least(t.residual_value, t.cost), t.life, t.rate, t.convention, t.year_starts, t.starts_on,
    case when t.rate is not null or t.convention <> 'item' then valuation.first_year_months(t.convention, t.year_starts, t.starts_on) end,
    t.decimals
  from (
    select
      m.is_usual, m.cost, m.residual_value, m.convention, m.year_starts, m.decimals, m.rate,
      case when m.rate is null or m.given_rate is null then m.life end as life,
      valuation.starts_on(m.convention, m.year_starts, m.acquired) as starts_on
    from (
      select
        (usual_terms.item).purchase_price::numeric as cost,
        coalesce((usual_terms.item).residual_value,
          round((usual_terms.item).purchase_price * usual_terms.category_residual_rate, (usual_terms.studio).minor_units))::numeric
          as residual_value,
        l.life, l.given_rate, valuation.annual_rate((usual_terms.item).depreciation_method, l.life, l.given_rate) as rate,
        (usual_terms.item).depreciation_changes is null and ((usual_terms.item).depreciation_method = 'straight_line'
          or coalesce((usual_terms.item).switches_to_straight_line, usual_terms.category_switches, 'no') = 'no') as is_usual,
        case when (usual_terms.studio).first_period = 'full_month' and (usual_terms.studio).financial_year_start_month is null
          then 'item' else (usual_terms.studio).first_period end as convention,
        coalesce((usual_terms.studio).financial_year_start_month, 1)::integer as year_starts,
        (usual_terms.item).acquisition_date as acquired, (usual_terms.studio).minor_units::integer as decimals
      from (
        select coalesce((usual_terms.item).useful_life_months, usual_terms.category_life) as life,
          coalesce((usual_terms.item).depreciation_rate, usual_terms.category_rate) as given_rate
        offset 0
      ) as l
      offset 0
    ) as m
    offset 0
  ) as t
  offset 0;
end;

comment on function valuation.usual_terms(app.items, app.studios, integer, numeric, numeric, text) is
  'The terms of an item that depreciates by one method from the beginning, and without a switch to straight line.';
