-- Removes a member from a studio. Tokens that were scoped to the member lose their scope and act as
-- their issuer (by the foreign key of access.tokens). Does nothing for other people.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its
-- issuer".
create or replace function access.remove_member(studio_id uuid, user_id uuid) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.members m
  where m.studio_id = remove_member.studio_id and m.user_id = remove_member.user_id;
end;

comment on function access.remove_member(uuid, uuid) is
  'Removes a member from a studio; tokens scoped to that member act as their issuer from then on.';
