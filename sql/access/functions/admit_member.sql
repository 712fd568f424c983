-- Makes somebody a member of a studio in the name of an owner or admin, and records it in the audit
-- log. Returns the user's id.
--   email  the e-mail for signing in; an unknown one makes a new user
--   name   this studio's name for the person (up to 100 characters; may be empty)
--   role   owner (only by owners), admin or member
-- Raises 22023 (email, name, role), SI409 (already a member), and what access.may_manage() raises.
create or replace function access.admit_member(studio_id uuid, email text, name text, role text, done_by uuid) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
  former_role text;
begin
  if coalesce(admit_member.role, '') not in ('owner', 'admin', 'member') then
    raise exception 'a role is owner, admin or member' using errcode = '22023';
  elsif coalesce(admit_member.email, '') !~ '^[^@\s]+@[^@\s]+$' or pg_catalog.char_length(admit_member.email) > 254 then
    raise exception 'an e-mail is written like mia@studio.example' using errcode = '22023';
  elsif pg_catalog.char_length(admit_member.name) > 100 then
    raise exception 'a name has at most 100 characters' using errcode = '22023';
  elsif not access.is_plain(admit_member.name) then
    raise exception 'a name is one line, without marks of direction' using errcode = '22023';
  end if;
  perform access.may_manage(admit_member.studio_id, admit_member.done_by, admit_member.role = 'owner');

  select u.id, m.role into person, former_role
  from access.users u left join access.members m on m.user_id = u.id and m.studio_id = admit_member.studio_id
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(admit_member.email collate "C");
  if former_role is not null then
    raise exception '% is a member of the studio already', admit_member.email using errcode = 'SI409',
      hint = 'The role of a member can be changed.';
  end if;

  person := access.add_member(admit_member.studio_id, admit_member.email, admit_member.name, admit_member.role);
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (admit_member.studio_id, 'member.added', admit_member.done_by, person, admit_member.role);
  return person;
end
$$;

comment on function access.admit_member(uuid, text, text, text, uuid) is
  'Makes somebody a member of a studio in the name of an owner or admin; returns the user''s id.';
