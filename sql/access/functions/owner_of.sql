-- The user id of a studio's first owner. Raises SI404 when it has none.
create or replace function access.owner_of(studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select m.user_id into person from access.members m
  where m.studio_id = owner_of.studio_id and m.role = 'owner'
  order by m.created_at, m.user_id limit 1;
  if person is null then
    raise exception 'the studio has no owner' using errcode = 'SI404', hint = 'Name an admin as the issuer.';
  end if;
  return person;
end
$$;

comment on function access.owner_of(uuid) is 'The user id of a studio''s first owner.';
