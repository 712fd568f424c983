-- What items of the session's studio take from each category: useful life, residual rate, and the
-- studio's rate and switch, null if it has set none.
create or replace function valuation.category_terms()
returns table (name text, useful_life_months integer, residual_rate numeric, rate numeric, switches text)
language sql stable security invoker
begin atomic
  select c.name, c.useful_life_months, c.residual_rate, t.depreciation_rate, t.switches_to_straight_line
  from app.categories c
  left join pg_catalog.unnest((
    select s.category_terms from app.studios s where s.id = (select access.current_studio_id()))) as t on t.category = c.name
  offset 0;
end;

comment on function valuation.category_terms() is
  'What the session''s studio takes from each category where an item has no term of its own.';
