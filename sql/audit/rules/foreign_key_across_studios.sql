-- Foreign keys by which a row of one studio can reference a row of another: they do not compare
-- studio_id, or reference app.studios from another column.
create or replace view audit.foreign_key_across_studios with (security_invoker = true) as
select
  'foreign_key_across_studios' as rule,
  'error' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, n.nspname, c.relname) as object,
  pg_catalog.format('points at %I.%I without studio_id', fn.nspname, f.relname) as finding,
  'The server ignores row-level security when it checks a foreign key. A row could reference another studio''s row, '
    'and a refusal would reveal which ids exist there.' as why,
  pg_catalog.format('Drop it, add the column studio_id to %I.%I if it lacks one, and add the constraint again with '
    'studio_id on both sides.', n.nspname, c.relname) as remedy
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
-- The column that names the studio in the referenced table. All studios share a table without one.
join pg_catalog.pg_attribute studio on studio.attrelid = f.oid and not studio.attisdropped
  and studio.attname = case when (fn.nspname, f.relname) = ('app', 'studios') then 'id' else 'studio_id' end
where k.contype = 'f' and not exists (
  select
  from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) as pair (referencing, referenced)
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = pair.referencing
  where a.attname = 'studio_id' and pair.referenced = studio.attnum);

comment on view audit.foreign_key_across_studios is 'Foreign keys that can point into another studio.';
