-- How a person is named where people read it: by name, or by e-mail when none was given. Null for null.
create or replace function access.display_name(person access.users) returns text
language sql immutable security invoker
return coalesce(nullif(person.name, ''), person.email);

comment on function access.display_name(access.users) is 'The name of a person, or the e-mail when there is none.';
