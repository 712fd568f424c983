-- Whether a text that somebody wrote is the one that is given. The conditions are those of the
-- indexes of such texts, which omit the empty ones and hold at most 2,700 bytes.
create or replace function service.is_exactly(stored text, given text) returns boolean
language sql immutable security invoker
return stored = given and stored <> '' and pg_catalog.octet_length(stored) <= 1000;

comment on function service.is_exactly(text, text) is 'Whether a text is the one that is given, for an index of such texts.';
