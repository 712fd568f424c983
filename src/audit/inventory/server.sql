-- Settings of the server: those that $1 names (src/audit/inventory.ts). Which of them can be seen
-- depends on the login.
select s.name, s.reset_val as value
from pg_catalog.pg_settings s
where s.name = any ($1::pg_catalog.text[])
union all
select 'studio.id', pg_catalog.current_setting('studio.id', true)
where pg_catalog.current_setting('studio.id', true) <> ''
