-- Gives a member another role in the name of the session's user. See access.change_role().
-- Raises what console.administrator and access.change_role raise.
create or replace function console.change_role(session_digest bytea, studio_id uuid, user_id uuid, role text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  perform access.change_role(studio_id, user_id, role, person);
end
$$;

comment on function console.change_role(bytea, uuid, uuid, text) is
  'Gives a member another role in the name of the session''s user.';
