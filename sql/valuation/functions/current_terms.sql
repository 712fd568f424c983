-- Returns what valuation takes from the session's studio and from each category, for views whose
-- readers may not read these tables. In a session of no studio it returns no row.
--   studio   has time zone, decimals, financial year, first period and category terms. Its other
--            columns are null
create or replace function valuation.current_terms()
returns table (
  today date, financial_year_start_month integer, category text, useful_life_months integer, residual_rate numeric, studio app.studios
)
language plpgsql stable security definer parallel safe rows 16
set search_path = ''
as $$
declare
  terms app.studios;
begin
  select s.timezone, s.minor_units, s.financial_year_start_month, s.first_period, s.category_terms
  into terms.timezone, terms.minor_units, terms.financial_year_start_month, terms.first_period, terms.category_terms
  from app.studios s where s.id = access.current_studio_id();
  if found then
    return query
      select day.today, terms.financial_year_start_month::integer, c.name, c.useful_life_months, c.residual_rate::numeric, terms
      from app.categories c cross join (select access.current_studio_today() as today offset 0) as day;
  end if;
end
$$;

comment on function valuation.current_terms() is 'What the rules of valuation take from the session''s studio and from each category.';
