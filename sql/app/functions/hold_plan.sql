-- Trigger of app.locations, before a statement that may change which ones the plan shows: locks the plan, so that its next change
-- (access.change_plan()) finds these locations. It comes before any lock of a location, because a change of the plan locks the
-- subscription first and then the locations.
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
