-- Trigger before a statement that inserts items: locks the currency of the session's studio until
-- the transaction ends (app.change_currency()), once for all rows.
create or replace function app.hold_currency() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from app.studios s where s.id = (select access.current_studio_id()) for key share;
  return null;
end
$$;

comment on function app.hold_currency() is 'Trigger of app.items: the currency stays while a statement adds items.';
