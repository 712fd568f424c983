-- Whether a name shows as one line, as typed: without line breaks, control characters, and marks of
-- direction, which can make a name look like another.
create or replace function access.is_plain(name text) returns boolean
language sql immutable strict security invoker
return name !~ U&'[\0001-\001F\007F-\009F\061C\200E\200F\2028-\202E\2066-\2069]';

comment on function access.is_plain(text) is 'Whether a name has no line breaks and no marks of direction.';
