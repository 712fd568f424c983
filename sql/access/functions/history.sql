-- The history of this database: the server's identifier and timeline. A dump restored elsewhere, a
-- point-in-time restore and a promoted standby have other histories.
create or replace function access.history() returns text
language sql volatile security definer
set search_path = ''
return (
  select c.system_identifier || '/'
    || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8)
  from pg_catalog.pg_control_system() c);

comment on function access.history() is 'Which history this database continues: system identifier and timeline.';
