-- Statistics on columns that should have none. They stay when the target is set to 0 afterwards,
-- and EXPLAIN still shows the most common values.
select
  case when r.kind = 'index' then 'index' else 'column' end as kind,
  case when r.kind = 'index' then r.name else format('%s.%I', r.name, a.attname) end as object,
  jsonb_build_object(case when s.stainherit then 'statistics kept with those of children' else 'statistics kept' end, 'yes') as facts
from pg_statistic s
join relations r on r.oid = s.starelid
join pg_attribute a on a.attrelid = s.starelid and a.attnum = s.staattnum
where r.oid >= 16384::oid and a.attstattarget = 0
