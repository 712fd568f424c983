-- Returns the inventory of the session's studio at the end of a day, with each item's value. The
-- values are those of valuation.value_items(), which also derives them and takes several times as long.
-- Only studio_owner may call it.
create or replace function valuation.assess_items(day date)
returns table (
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, location_id uuid,
  acquisition_date date, purchase_price numeric, current_estimated_value numeric, value_source text,
  reported_insured_value numeric, coverage_state text, gap_amount numeric, book_value numeric, replacement_cost numeric,
  external_key text
)
language sql stable security invoker parallel safe
begin atomic
  select
    v.id, v.name, v.manufacturer, v.model, v.serial_number, v.barcode, v.category, v.location_id, v.acquisition_date, v.purchase_price,
    v.value, valuation.value_source(v.market_value, v.manual_value, v.worth, v.purchase_price, v.replacement_cost),
    v.reported_insured_value, valuation.coverage_state(v.value, v.reported_insured_value), v.value - v.reported_insured_value,
    coalesce(v.worth, nullif(v.purchase_price, 0)), v.replacement_cost, v.external_key
  from (
    select w.*,
      coalesce(w.market_value, w.manual_value, w.worth, nullif(w.purchase_price, 0), w.replacement_cost) as value
    from (
      select
        t.*, round(market.value, t.decimals) as market_value,
        case
          when t.is_usual then valuation.usual_worth(
            t.purchase_price, t.floor_value, t.life, t.rate, t.first_year_months, t.age, t.decimals)
          when t.plan is not null then valuation.worth_on(t.plan, assess_items.day + 1)
        end as worth
      from (
        select t.*, case when t.is_usual then
          valuation.age(t.convention, t.starts_on, t.first_year_months, t.year_starts, assess_items.day + 1) end as age
        from valuation.item_terms(false, false) as t
        where valuation.is_held(assess_items.day, t.acquisition_date, (t.created_at at time zone t.timezone)::date, t.gone_on,
          t.is_archived, (select access.current_studio_today()))
        offset '0'
      ) as t
      left join valuation.market_values_on(assess_items.day) as market on market.item_id = t.id
      offset '0'
    ) as w
    offset '0'
  ) as v;
end;

comment on function valuation.assess_items(date) is
  'The inventory of the session''s studio at the end of a day, and each item''s value then.';
