-- Comments, which everybody who can connect may read. One row has all comments on the server's own
-- objects.
select
  'comment' as kind, format('on %s %s', i.type, i.identity) as object,
  jsonb_strip_nulls(jsonb_build_object(
    'text', d.description,
    'extension', coalesce(
      (select x.extension from extended x where x.class = d.classoid and x.object = d.objoid),
      (select quote_ident(e.extname) from pg_extension e where d.classoid = 'pg_extension'::regclass and e.oid = d.objoid))
  )) as facts
from pg_description d
cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) as i
where d.objoid >= 16384::oid
union all
select 'comment', 'on the database', jsonb_build_object('text', d.description)
from pg_shdescription d
join pg_database b on b.oid = d.objoid and b.datname = current_database()
where d.classoid = 'pg_database'::regclass
  -- Every server has this one.
  and not (b.datname = 'postgres' and d.description = 'default administrative connection database')
union all
select 'comment', 'on what comes with the server', jsonb_build_object('text', md5(
  string_agg(concat_ws(' ', d.classoid, d.objoid, d.objsubid, d.description), ' ' order by d.classoid, d.objoid, d.objsubid)))
from pg_description d
where d.objoid < 16384::oid
