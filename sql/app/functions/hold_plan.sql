-- Trigger of app.locations, before a statement that may change which locations the plan shows.
-- Locks the plan, so that its next change (access.change_plan()) finds these locations. Runs before
-- any location is locked, because a change of the plan locks the subscription first.
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
