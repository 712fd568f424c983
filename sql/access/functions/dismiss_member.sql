-- Removes a member from a studio in the name of an owner or admin (perhaps that member), and
-- records it in the audit log. Revokes the tokens that act as the member, except those that another
-- member can act for, so that they stay refused if the person or the issuer comes back. Tokens of
-- other issuers then act as their issuers (by the foreign key of access.tokens); the member's
-- analysts' logins end. Returns the number of revoked tokens.
-- Raises SI404 (no such member), SI409 (the last owner), and what access.may_manage() raises.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its
-- issuer".
create or replace function access.dismiss_member(studio_id uuid, user_id uuid, done_by uuid) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
  token uuid;
  revoked integer := 0;
begin
  perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, false);
  select m.role into former from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id
  for update;
  if former is null then
    raise exception 'the studio has no such member' using errcode = 'SI404';
  elsif former = 'owner' then
    perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, true);
    perform access.keep_an_owner(dismiss_member.studio_id, dismiss_member.user_id);
  end if;

  for token in
    select t.id from access.tokens t
    where t.studio_id = dismiss_member.studio_id and t.revoked_at is null
      and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id
      and not exists (
        select from access.members m
        where m.studio_id = t.studio_id and m.user_id = t.issued_by and m.user_id <> dismiss_member.user_id)
      and (t.expires_at is null or t.expires_at > access.clock())
    order by t.id
  loop
    perform access.revoke_token(dismiss_member.studio_id, token, dismiss_member.done_by);
    revoked := revoked + 1;
  end loop;
  delete from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id;
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (dismiss_member.studio_id, 'member.removed', dismiss_member.done_by, dismiss_member.user_id, former);
  return revoked;
end
$$;

comment on function access.dismiss_member(uuid, uuid, uuid) is
  'Removes a member from a studio in the name of an owner or admin, and revokes the tokens that act as that member.';
