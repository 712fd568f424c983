-- Trigger of app.policies, before a statement that may change when one begins or ends: the studio's time zone stays as it is until
-- these policies are there to be found by whoever changes it next (app.change_time_zone()). Before any policy is locked, because
-- whoever changes the time zone holds the studio first, and then its policies.
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
