-- How a studio names a person where its people read it: by the name that this studio typed, else by e-mail. Who is no member (any more)
-- is named by e-mail. Null for null.
--   membership  of the person in this studio; null when there is none
-- What another studio typed is nothing that this one may learn, or change.
create or replace function access.display_name(person access.users, membership access.members) returns text
language sql immutable security invoker
return coalesce(nullif(membership.name, ''), person.email);

comment on function access.display_name(access.users, access.members) is
  'How a studio names a person: by the name that it typed, or by e-mail when there is none.';
