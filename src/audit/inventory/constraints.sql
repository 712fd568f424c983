-- Constraints of tables and domains. A NOT NULL that holds for every row is a fact of its column.
select
  'constraint' as kind,
  format('%I on %s', k.conname, coalesce(r.name, k.contypid::regtype::text)) as object,
  jsonb_strip_nulls(jsonb_build_object(
    'definition', pg_get_constraintdef(k.oid),
    'validated', case when not k.convalidated then 'no' end,
    'enforced', case when to_jsonb(k) ->> 'conenforced' = 'false' then 'no' end,
    'inherited by children', case when k.connoinherit and k.contype in ('c', 'n') then 'no' end
  )) as facts
from pg_constraint k
left join relations r on r.oid = k.conrelid
where k.oid >= 16384::oid
  and (r.oid is not null or k.contypid <> 0)
  and (k.contype <> 'n' or not k.convalidated or k.connoinherit)
  and k.contype <> 't'
