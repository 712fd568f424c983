-- The name that a studio shows for a person: the name that this studio typed, else the e-mail. A
-- former member shows the e-mail. Null for null.
--   membership  of the person in this studio; null: none
-- A studio must neither learn nor change what another studio typed.
create or replace function access.display_name(person access.users, membership access.members) returns text
language sql immutable security invoker
return coalesce(nullif(membership.name, ''), person.email);

comment on function access.display_name(access.users, access.members) is
  'How a studio names a person: by the name that it typed, or by e-mail when there is none.';
