-- Trigger, before a statement on a studio's data: refuses it when a move has stopped the writes of the session's studio. That the rows
-- are of this studio app.require_session() sees to. Raises SI503.
create or replace function app.require_writable() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if studio is not null then
    perform access.require_writable(studio);
  end if;
  return null;
end
$$;

comment on function app.require_writable() is 'Trigger: refuses a statement when a move has stopped the writes of the studio.';
