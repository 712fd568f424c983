-- Types that come with the server.
select
  'type' as kind, t.oid::regtype::text as object,
  concat_ws('|', t.typowner::text, t.typtype, t.typlen, t.typbyval, t.typcategory, t.typispreferred, t.typisdefined, t.typdelim,
    t.typrelid::regclass, t.typelem::regtype, t.typarray::regtype, t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin,
    t.typmodout, t.typanalyze, to_jsonb(t) ->> 'typsubscript', t.typalign, t.typstorage, t.typnotnull, t.typbasetype::regtype,
    t.typtypmod, t.typndims, t.typcollation::regcollation, t.typdefault,
    (select string_agg(pg_get_constraintdef(k.oid), ',' order by k.conname) from pg_constraint k where k.contypid = t.oid)
  ) as definition,
  'T'::"char" as type, t.typowner as owner, t.typacl as acl
from pg_type t
join spaces s on s.oid = t.typnamespace
where t.oid < 16384::oid and t.typname !~ '^pg_toast_' and s.name <> 'pg_toast'
