-- The server's settings that $1 names (src/audit/inventory.ts). The login decides which it can see.
select s.name, s.reset_val as value
from pg_catalog.pg_settings s
where s.name = any ($1::pg_catalog.text[])
union all
select 'studio.id', pg_catalog.current_setting('studio.id', true)
where pg_catalog.current_setting('studio.id', true) <> ''
