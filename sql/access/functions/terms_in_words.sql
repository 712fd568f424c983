-- The terms of a category in the audit log: 40 %, switches to straight line.
create or replace function access.terms_in_words(rate numeric, switches boolean) returns text
language sql immutable security invoker
return coalesce(pg_catalog.trim_scale(rate) || ' %', 'by useful life') ||
  case when switches then ', switches to straight line' else '' end;

comment on function access.terms_in_words(numeric, boolean) is 'The terms of a category in the words of the audit log.';
