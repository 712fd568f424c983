-- Makes somebody a member of a studio, and a user if the e-mail is new, or changes the role of a
-- member. Returns the user's id.
--   email  stored in lower case (ASCII), so that no studio sees how another typed it
--   name   this studio's own name for a new member; empty or null: the e-mail
--   role   owner, admin or member
create or replace function access.add_member(studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  insert into access.users as u (email) values (pg_catalog.lower(add_member.email collate "C"))
  on conflict (lower(email collate "C")) do update set email = u.email
  returning u.id into person;

  insert into access.members (studio_id, user_id, role, name)
  values (add_member.studio_id, person, add_member.role, coalesce(add_member.name, ''))
  on conflict (studio_id, user_id) do update set role = excluded.role;
  return person;
end
$$;

comment on function access.add_member(uuid, text, text, text) is
  'Makes somebody a member of a studio, or changes a member''s role; returns the user''s id.';
