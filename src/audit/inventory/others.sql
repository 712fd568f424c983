-- Objects of kinds that this release does not make. Reports that one exists, its owner, and what it
-- runs, so that an operator can accept it as it is.
select
  i.type as kind, coalesce(nullif(i.identity, ''), i.name) as object,
  jsonb_strip_nulls(jsonb_build_object(
    'owner', o.name,
    -- The extension of an operator class also owns the operators and functions of the class.
    'extension', (
      select min(e.extension)
      from extended e
      where (e.class, e.object) = (x.class, x.oid)
         or x.class in ('pg_amop'::regclass, 'pg_amproc'::regclass) and exists (
           select from pg_depend d
           where d.classid = x.class and d.objid = x.oid and d.deptype in ('a', 'i')
             and (d.refclassid, d.refobjid) = (e.class, e.object)
             and d.refclassid in ('pg_opclass'::regclass, 'pg_opfamily'::regclass))),
    'runs', nullif(x.runs, '')
  )) as facts
from (
  select 'pg_operator'::regclass, oid, oprowner, concat_ws(' ', oprcode, oprrest, oprjoin, oprcanmerge, oprcanhash) from pg_operator
  union all select 'pg_opclass'::regclass, oid, opcowner, null from pg_opclass
  union all select 'pg_opfamily'::regclass, oid, opfowner, null from pg_opfamily
  union all select 'pg_amop'::regclass, oid, null, amopopr::regoperator::text from pg_amop
  union all select 'pg_amproc'::regclass, oid, null, amproc::regprocedure::text from pg_amproc
  union all select 'pg_am'::regclass, oid, null, amhandler::text from pg_am
  union all select 'pg_cast'::regclass, oid, null, concat_ws(' ', castfunc::regprocedure, castcontext, castmethod) from pg_cast
  union all select 'pg_collation'::regclass, oid, collowner, null from pg_collation
  union all select 'pg_conversion'::regclass, oid, conowner, conproc::text from pg_conversion
  union all select 'pg_language'::regclass, oid, lanowner, concat_ws(' ', lanpltrusted, lanplcallfoid::regproc, laninline::regproc, lanvalidator::regproc) from pg_language
  union all select 'pg_transform'::regclass, oid, null, concat_ws(' ', trffromsql, trftosql) from pg_transform
  union all select 'pg_extension'::regclass, oid, extowner, concat_ws(' ', extversion, extnamespace::regnamespace) from pg_extension
  union all select 'pg_statistic_ext'::regclass, oid, stxowner, null from pg_statistic_ext
  union all select 'pg_ts_parser'::regclass, oid, null, concat_ws(' ', prsstart, prstoken, prsend, prsheadline, prslextype) from pg_ts_parser
  union all select 'pg_ts_template'::regclass, oid, null, concat_ws(' ', tmplinit, tmpllexize) from pg_ts_template
  union all select 'pg_ts_dict'::regclass, oid, dictowner, dictinitoption from pg_ts_dict
  union all select 'pg_ts_config'::regclass, oid, cfgowner, null from pg_ts_config
  union all select 'pg_foreign_data_wrapper'::regclass, oid, fdwowner, concat_ws(' ', fdwhandler::regproc, fdwvalidator::regproc, array_to_string(fdwoptions, ', ')) from pg_foreign_data_wrapper
  union all select 'pg_foreign_server'::regclass, oid, srvowner, array_to_string(srvoptions, ', ') from pg_foreign_server
  union all select 'pg_user_mapping'::regclass, umid, null, null from pg_user_mappings
  union all select 'pg_publication'::regclass, oid, pubowner, null from pg_publication
  union all select 'pg_publication_rel'::regclass, oid, null, null from pg_publication_rel
  union all select 'pg_publication_namespace'::regclass, oid, null, null from pg_publication_namespace
) as x (class, oid, owner, runs)
cross join lateral pg_identify_object(x.class, x.oid, 0) as i
left join named o on o.role = x.owner
where x.oid >= 16384::oid
union all
select 'subscription', quote_ident(s.subname), jsonb_build_object('owner', o.name)
from pg_subscription s
join pg_database d on d.oid = s.subdbid and d.datname = current_database()
join named o on o.role = s.subowner
union all
(select 'large object', m.oid::text, jsonb_build_object('owner', o.name)
from pg_largeobject_metadata m
join named o on o.role = m.lomowner
order by m.oid
limit 100)
union all
select
  'default privileges', format('of %s for %s%s', o.name, t.name,
    case when d.defaclnamespace <> 0 then ' in ' || d.defaclnamespace::regnamespace else '' end), '{}'
from pg_default_acl d
join named o on o.role = d.defaclrole
join (values ('r', 'tables'), ('S', 'sequences'), ('f', 'functions'), ('T', 'types'), ('n', 'schemas'), ('L', 'large objects'))
  as t (type, name) on t.type = d.defaclobjtype::text
union all
select 'security label', format('%s on %s', l.provider, pg_describe_object(l.classoid, l.objoid, l.objsubid)), '{}'
from pg_seclabel l
union all
select 'security label', format('%s on %s %s', l.provider, l.classoid::regclass, l.objoid), '{}'
from pg_shseclabel l
