-- Writes a category's terms for the audit log, such as "40 %, switches to straight line".
create or replace function access.terms_in_words(rate numeric, switches text) returns text
language sql immutable security invoker
return coalesce(pg_catalog.trim_scale(rate) || ' %', 'by useful life') ||
  case switches when 'yes' then ', switches to straight line' when 'floor' then ', never less than straight line' else '' end;

comment on function access.terms_in_words(numeric, text) is 'The terms of a category in the words of the audit log.';
