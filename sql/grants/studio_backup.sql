-- Backups of an administrator who is no superuser: `pg_dump --role=studio_backup
-- --enable-row-security` reads every table of the owner, and all rows by policies of its own
-- (app/row_level_security.sql). Nobody can log in as it. Run as the administrator.

alter role studio_backup inherit;
grant studio_owner to studio_backup;
grant select on all tables in schema graphile_migrate to studio_backup;
