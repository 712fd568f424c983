-- Foreign keys that a row of one studio can use to point at a row of another: to a table with
-- studio_id without comparing it, and to app.studios from another column than studio_id.
create or replace view audit.foreign_key_across_studios with (security_invoker = true) as
select
  'foreign_key_across_studios' as rule,
  'error' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, n.nspname, c.relname) as object,
  pg_catalog.format('points at %I.%I without studio_id', fn.nspname, f.relname) as finding,
  'The server checks foreign keys past row-level security: the row may point into another studio, and whether it is '
    'taken or refused tells which ids exist there.' as why,
  pg_catalog.format('Drop it, give %I.%I the column studio_id where it has none, and add it again with studio_id on both '
    'sides.', n.nspname, c.relname) as remedy
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
-- What names a studio in the referenced table; a table that names none is shared by all.
join pg_catalog.pg_attribute studio on studio.attrelid = f.oid and not studio.attisdropped
  and studio.attname = case when (fn.nspname, f.relname) = ('app', 'studios') then 'id' else 'studio_id' end
where k.contype = 'f' and not exists (
  select
  from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) as pair (referencing, referenced)
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = pair.referencing
  where a.attname = 'studio_id' and pair.referenced = studio.attnum);

comment on view audit.foreign_key_across_studios is 'Foreign keys that can point into another studio.';
