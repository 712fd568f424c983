-- Trigger of app.policies, before a statement that may move the beginning or end of a policy. Locks
-- the studio's time zone, so that its next change (app.change_time_zone()) finds these policies.
-- Runs before any policy is locked, because a change of the time zone locks the studio first.
create or replace function app.hold_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from app.studios s where s.id = access.current_studio_id() for share;
  return null;
end
$$;

comment on function app.hold_time_zone() is 'Trigger of app.policies: the time zone stays as it is until they are written.';
