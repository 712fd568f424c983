-- The server's functions that everybody may call in a new database, but that no outsider may call
-- here. grants/database.sql revokes them, audit.catalog_function_open checks it. `observes` marks
-- those that show other sessions' work: members of pg_read_all_stats may still call them.
create or replace view audit.closed_functions with (security_invoker = true) as
select
  p.oid as function, p.proname as name,
  pg_catalog.format('pg_catalog.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)) as signature,
  closed.observes,
  closed.why
from (values
  ('^(lo_|loread$|lowrite$)', false, 'Large objects are rows outside row-level security.'),
  ('^pg_(try_)?advisory_', false, 'An advisory lock holds up others.'),
  ('^pg_sleep', false, 'A sleep keeps a connection for nothing.'),
  ('^(pg_notify|pg_logical_emit_message)$', false, 'Messages reach other sessions and fill the disk.'),
  ('^pg_export_snapshot$', false, 'A snapshot is a file on the server, and holds back the removal of old rows.'),
  ('xml|^xpath', false, 'Nothing ends libxml2, which takes four times as long for twice the elements.'),
  ('^(pg_current_xact_id|txid_current)$', false, 'A transaction id that is held delays what others may take for final.'),
  -- The function that counts rows is not here: tools call it, and pg_class.reltuples shows the
  -- same.
  ('^pg_stat_get_(?!live_tuples$)', true, 'Statistics tell when another studio''s request came, and by which filter.'),
  ('^pg_(lock_status|prepared_xact|blocking_pids|safe_snapshot_blocking_pids|isolation_test_session_is_blocked)$', true,
    'Locks tell what other sessions do at this moment.'),
  ('^(pg_xact_status|txid_status|pg_get_multixact_members)$', true, 'They tell what became of others'' transactions.'),
  ('^pg_(current_wal_|last_|control_|get_replication_slots$|walfile_name|xact_commit_timestamp|get_wal_summarizer_state$|'
    'available_wal_summaries$|wal_summary_contents$)', true,
    'Positions in the log tell how much others write, and when.')
) as closed (pattern, observes, why)
join pg_catalog.pg_proc p on p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ closed.pattern;

comment on view audit.closed_functions is 'Functions of the server that nobody outside may call here.';
