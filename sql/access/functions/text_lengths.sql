-- How many characters a text may have: what the checks length_of_… say, from the catalog. A list of
-- texts has as many together, with a comma between them.
create or replace function access.text_lengths() returns table (relation text, name text, characters integer)
language sql stable security invoker
set search_path = ''
begin atomic
  select
    n.nspname || '.' || r.relname, pg_catalog.substr(c.conname, 11),
    (pg_catalog.regexp_match(pg_catalog.pg_get_constraintdef(c.oid), '<= (\d+)'))[1]::integer
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  where n.nspname in ('app', 'access') and c.contype = 'c' and pg_catalog.starts_with(c.conname::text, 'length_of_')
  order by 1, 2;
end;

comment on function access.text_lengths() is 'How many characters each text may have that people write.';
