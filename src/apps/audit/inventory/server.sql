-- Settings of the server that decide which code a session loads and whether policies and triggers hold. Which of them can
-- be seen depends on the login.
select s.name, s.reset_val as value
from pg_catalog.pg_settings s
where s.name in (
  'allow_system_table_mods', 'dynamic_library_path', 'extension_control_path', 'jit_provider', 'local_preload_libraries',
  'oauth_validator_libraries', 'password_encryption', 'row_security', 'session_preload_libraries', 'session_replication_role',
  'shared_preload_libraries')
union all
select 'studio.id', pg_catalog.current_setting('studio.id', true)
where pg_catalog.current_setting('studio.id', true) <> ''
