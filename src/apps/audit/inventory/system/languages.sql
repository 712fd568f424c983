-- Schemas, languages, extensions, encodings and text search as they come with the server. Of collations those that every
-- server has: the others come from the operating system.
select
  'schema' as kind, quote_ident(n.nspname) as object, n.nspowner::text as definition,
  'n'::"char" as type, n.nspowner as owner, n.nspacl as acl
from pg_namespace n
where n.oid < 16384::oid and n.nspname !~ '^pg_(toast_)?temp_[0-9]+$'
union all
select
  'language', quote_ident(l.lanname),
  concat_ws('|', l.lanowner::text, l.lanispl, l.lanpltrusted, l.lanplcallfoid::regproc, l.laninline::regproc, l.lanvalidator::regproc),
  'l', l.lanowner, l.lanacl
from pg_language l
where l.oid < 16384::oid
union all
select 'extension', quote_ident(e.extname), concat_ws('|', e.extowner::text, e.extversion, e.extrelocatable), null, e.extowner, null
from pg_extension e
where e.oid < 16384::oid
union all
select
  'collation', c.oid::regcollation::text,
  concat_ws('|', c.collowner::text, c.collprovider, c.collisdeterministic, c.collencoding), null, c.collowner, null
from pg_collation c
where c.oid < 12000::oid
union all
select
  'conversion', quote_ident(c.conname),
  concat_ws('|', c.conowner::text, c.conforencoding, c.contoencoding, c.conproc, c.condefault), null, c.conowner, null
from pg_conversion c
where c.oid < 16384::oid
union all
select 'text search parser', quote_ident(p.prsname),
  concat_ws('|', p.prsstart, p.prstoken, p.prsend, p.prsheadline, p.prslextype), null, 10, null
from pg_ts_parser p
where p.oid < 16384::oid
union all
select 'text search template', quote_ident(t.tmplname), concat_ws('|', t.tmplinit, t.tmpllexize), null, 10, null
from pg_ts_template t
where t.oid < 16384::oid
union all
select 'text search dictionary', quote_ident(d.dictname),
  concat_ws('|', d.dictowner::text, t.tmplname, d.dictinitoption), null, d.dictowner, null
from pg_ts_dict d
join pg_ts_template t on t.oid = d.dicttemplate
where d.oid < 16384::oid
union all
select
  'text search configuration', quote_ident(c.cfgname),
  concat_ws('|', c.cfgowner::text, p.prsname, (
    select string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, d.dictname), ',' order by m.maptokentype, m.mapseqno)
    from pg_ts_config_map m join pg_ts_dict d on d.oid = m.mapdict where m.mapcfg = c.oid)), null, c.cfgowner, null
from pg_ts_config c
join pg_ts_parser p on p.oid = c.cfgparser
where c.oid < 16384::oid
