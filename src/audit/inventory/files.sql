-- Asked like a setting: what ALTER SYSTEM and the configuration files set, and only the next start will apply, whether they were read again or not.
select 'what the next start changes' as name, '' as value
union all
select pg_catalog.concat(f.name, ' at the next start'), f.setting
from pg_catalog.pg_file_settings f
where not f.applied and (f.name = any ($1::pg_catalog.text[]) or f.name in ('hba_file', 'ident_file'))
