-- A text as search compares it: lower case, without spaces and separators, so "u87" finds "U 87".
create or replace function api_v1.squeezed(words text) returns text
language sql immutable strict security invoker
return pg_catalog.lower(pg_catalog.regexp_replace(words, '[\s_./-]+', '', 'g'));

comment on function api_v1.squeezed(text) is 'A text as a search compares it: in lower case, without spaces and separators.';
