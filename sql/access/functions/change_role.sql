-- Changes a member's role in the name of an owner or admin, and records it in the audit log. Does
-- nothing if the member has the role already.
--   role  owner, admin or member; only owners make owners or change their role
-- Raises 22023 (role), SI404 (no such member), SI409 (the last owner), and what access.may_manage()
-- raises.
create or replace function access.change_role(studio_id uuid, user_id uuid, role text, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
begin
  if coalesce(change_role.role, '') not in ('owner', 'admin', 'member') then
    raise exception 'a role is owner, admin or member' using errcode = '22023';
  end if;
  perform access.may_manage(change_role.studio_id, change_role.done_by, change_role.role = 'owner');
  select m.role into former from access.members m
  where m.studio_id = change_role.studio_id and m.user_id = change_role.user_id
  for update;
  if former is null then
    raise exception 'the studio has no such member' using errcode = 'SI404';
  elsif former = change_role.role then
    return;
  elsif former = 'owner' then
    perform access.may_manage(change_role.studio_id, change_role.done_by, true);
    perform access.keep_an_owner(change_role.studio_id, change_role.user_id);
  end if;

  update access.members m set role = change_role.role
  where m.studio_id = change_role.studio_id and m.user_id = change_role.user_id;
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (change_role.studio_id, 'member.role_changed', change_role.done_by, change_role.user_id,
    former || ' → ' || change_role.role);
end
$$;

comment on function access.change_role(uuid, uuid, text, uuid) is
  'Gives a member of a studio another role in the name of an owner or admin.';
