-- Removes a member from a studio in the name of the session's user. See access.dismiss_member().
-- Raises what console.administrator and access.dismiss_member raise.
create or replace function console.dismiss_member(session_digest bytea, studio_id uuid, user_id uuid) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return access.dismiss_member(studio_id, user_id, person);
end
$$;

comment on function console.dismiss_member(bytea, uuid, uuid) is
  'Removes a member from a studio in the name of the session''s user.';
