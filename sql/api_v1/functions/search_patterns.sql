-- LIKE patterns for a search, one for each word; null without words, which matches nothing.
create or replace function api_v1.search_patterns(q text) returns text[]
language sql stable security invoker
return (
  select pg_catalog.array_agg('%' || pg_catalog.regexp_replace(api_v1.squeezed(w.word), '[\\%]', '\\\&', 'g') || '%')
  from pg_catalog.regexp_split_to_table(q, '\s+') as w (word)
  where api_v1.squeezed(w.word) <> ''
);

comment on function api_v1.search_patterns(text) is 'The patterns for LIKE of what somebody looks for.';
