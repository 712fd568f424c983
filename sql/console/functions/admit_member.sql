-- Makes somebody a member of a studio in the name of the session's user. See access.admit_member().
-- Raises what console.administrator and access.admit_member raise.
create or replace function console.admit_member(session_digest bytea, studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  return access.admit_member(studio_id, email, name, role, person);
end
$$;

comment on function console.admit_member(bytea, uuid, text, text, text) is
  'Makes somebody a member of a studio in the name of the session''s user.';
