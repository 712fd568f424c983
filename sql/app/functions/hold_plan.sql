-- Trigger of app.locations, before a statement that may change which ones the plan shows: the plan stays as it is until these
-- locations are there to be found by whoever changes it next (access.change_plan()). Before any location is locked, because
-- whoever changes the plan holds the subscription first, and then the locations.
create or replace function app.hold_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from access.subscriptions s where s.studio_id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_plan() is 'Trigger of app.locations: the plan stays as it is until they are written.';
