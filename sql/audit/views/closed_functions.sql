-- The server's functions that everybody may call in a new database, and no outsider may call here:
-- each would show something of another studio, or stop something that others need; `why` says what.
-- audit.set_server_rights() revokes them, audit.catalog_function_open checks it. `observes` marks those
-- that show other sessions' work: members of pg_read_all_stats may still call them. `is_open`: everybody
-- may call it, because nobody has closed it or a superuser was missing.
create or replace view audit.closed_functions with (security_invoker = true) as
select
  p.oid as function, p.proname as name,
  pg_catalog.format('pg_catalog.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as signature,
  closed.observes,
  closed.why,
  p.proacl is null or exists (
    select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE') as is_open
from (values
  ('^lo_(creat|create|from_bytea)$', false, 'A large object has any size, and no limit of a login counts it.'),
  ('^pg_(try_)?advisory_(xact_)?lock', false, 'An advisory lock holds up a migration, the refresh of values, or another login.'),
  ('^pg_logical_emit_message$', false, 'A message of any size goes into the log that fills the disk and feeds the replicas.'),
  ('^pg_export_snapshot$', false, 'Each call makes a file on the server.'),
  ('^(pg_current_xact_id|txid_current)$', false, 'While a transaction id is held, no studio''s poll gets newer changes.'),
  -- The function that counts rows is not here: tools call it, and pg_class.reltuples shows the
  -- same.
  ('^pg_stat_get_(?!live_tuples$)', true, 'Statistics tell when another studio''s request came, and by which filter.'),
  ('^pg_(lock_status|prepared_xact|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked)$', true,
    'Locks tell what other sessions do at this moment.'),
  ('^pg_(last_committed_xact|xact_commit_timestamp|xact_commit_timestamp_origin|last_xact_replay_timestamp)$', true,
    'They tell when other studios'' changes were committed, also those of a past day.')
) as closed (pattern, observes, why)
join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ closed.pattern;

comment on view audit.closed_functions is 'Functions of the server that nobody outside may call here.';
