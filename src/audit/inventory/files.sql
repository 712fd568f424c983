-- Reads like a setting what ALTER SYSTEM and the configuration files set but this session does not
-- use: it needs a restart, a reload or another session. The last of several lines counts.
select 'what the next start changes' as name, '' as value
union all
select pg_catalog.concat(f.name, ' at the next start'), f.setting
from (
  select f.name, f.setting, f.applied, pg_catalog.row_number() over (partition by f.name order by f.seqno desc) as place
  from pg_catalog.pg_file_settings f
) as f
left join pg_catalog.pg_settings s on s.name = f.name
where f.place = 1
  and (f.name = any ($1::pg_catalog.text[]) or f.name in ('hba_file', 'ident_file'))
  and (not f.applied or (s.vartype in ('string', 'enum') and f.setting is distinct from s.reset_val))
