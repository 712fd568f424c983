-- Returns the role of an owner or admin who is about to manage a studio or its members. Their
-- membership stays as it is until the end of the transaction. People who manage one studio do so
-- one after the other, because this locks its owners; each sees what the previous one did.
--   to_owner  whether only owners may do it: make, change or remove an owner, or remove the studio
-- Raises 42501, and SI409 once the studio is being removed.
create or replace function access.may_manage(studio_id uuid, user_id uuid, to_owner boolean) returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  role text;
begin
  perform from access.members m
  where m.studio_id = may_manage.studio_id and m.role = 'owner' order by m.user_id for no key update;
  select m.role into role from access.members m
  where m.studio_id = may_manage.studio_id and m.user_id = may_manage.user_id and m.role in ('owner', 'admin')
  for share;
  if role is null then
    raise exception 'only an owner or admin of the studio can do that' using errcode = '42501';
  elsif to_owner and role <> 'owner' then
    raise exception 'only an owner of the studio can remove it, or make, change or remove an owner' using errcode = '42501';
  elsif exists (select from app.studios s where s.id = may_manage.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return role;
end
$$;

comment on function access.may_manage(uuid, uuid, boolean) is
  'The role of an owner or admin who manages a studio or its members.';
