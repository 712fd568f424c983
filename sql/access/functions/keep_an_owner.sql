-- Raises SI409 when this user is the only owner of the studio. Call access.may_manage() first. It
-- stops others from removing another owner meanwhile.
create or replace function access.keep_an_owner(studio_id uuid, user_id uuid) returns void
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  if not exists (
    select from access.members m
    where m.studio_id = keep_an_owner.studio_id and m.role = 'owner' and m.user_id <> keep_an_owner.user_id)
  then
    raise exception 'the last owner of a studio can neither be removed nor get another role' using errcode = 'SI409',
      hint = 'Make somebody else an owner first.';
  end if;
end
$$;

comment on function access.keep_an_owner(uuid, uuid) is 'Refuses to go on when this user is the only owner of the studio.';
