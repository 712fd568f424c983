-- The manual value of an item of the session's studio, for views whose readers may not read the
-- column. Null if the item has none.
create or replace function valuation.manual_value_of(item_id uuid) returns numeric
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
begin
  return (select i.manual_value from app.items i where i.id = manual_value_of.item_id);
end
$$;

comment on function valuation.manual_value_of(uuid) is 'The manual value of an item of the session''s studio.';
