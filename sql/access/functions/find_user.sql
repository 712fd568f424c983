-- The id of the user with this e-mail. Raises SI404 when there is none. Only ASCII letters match in
-- any case (collate "C"), as everywhere: a locale may turn other letters into ASCII, and they would
-- then name somebody else.
create or replace function access.find_user(email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select u.id into person from access.users u
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(find_user.email collate "C");
  if person is null then
    raise exception 'there is no user with the e-mail %', pg_catalog.quote_literal(find_user.email) using errcode = 'SI404';
  end if;
  return person;
end
$$;

comment on function access.find_user(text) is 'The id of the user with this e-mail.';
