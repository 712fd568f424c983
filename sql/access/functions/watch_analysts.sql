-- The watchdog: ends what a login could do against its limits, since an analyst can change most
-- settings. The service calls it every few seconds; several processes may call it at once. On a
-- replica it only ends sessions. Returns what it ended, and why:
--   statement      longer than its login's limit: cancelled; its session ends if that does not
--                  help, because a session that waits for its client does not see a cancel
--   transaction    idle for as long as that limit, or open for ten times as long: its session ends,
--                  since it holds locks and old row versions
--   transaction id held at all: its session ends. An analyst takes one only to write: ALTER ROLE of
--                  oneself, a GRANT of nothing, NOTIFY. Each fills the disk, and delays the moment
--                  that others may take for final. Counted in access.analyst_logins.writes
--   notifications  of 64 MB or more wait: a session ends that does not read its own, or that may
--                  keep them by a transaction older than ten seconds
--   session        of a login without a studio, dropped, expired, or in another database: it ends;
--                  also the youngest beyond access.analyst_places(), those of the studio that has
--                  most before those of others
--   prepared       transaction: reported, since only its owner and superusers may roll it back
--   advisory lock  held, which is possible only where the server's functions are open: its session
--                  ends, since the service's jobs and migrations take such locks
-- It sees members of studio_analyst only. Records what they ask (access.record_statements). Needs
-- what grants/studio_owner.sql gives the owner, or else its membership in each analyst's login
-- (audit.set_server_rights()); raises 42501 without it.
create or replace function access.watch_analysts() returns table (login name, pid integer, action text, reason text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  grace constant interval := interval '10 seconds';
  places record := access.analyst_places();
  -- The server tells which part of at most 8 GB, or of max_notify_queue_pages.
  is_queue_long boolean := pg_catalog.pg_notification_queue_usage()
    * coalesce(pg_catalog.current_setting('max_notify_queue_pages', true), '1048576')::bigint >= 8192;
begin
  if not (pg_catalog.pg_has_role('pg_signal_backend', 'usage') and pg_catalog.pg_has_role('pg_read_all_stats', 'usage'))
    and exists (
      select from pg_catalog.pg_roles r
      where r.rolcanlogin and not r.rolsuper and not pg_catalog.pg_has_role(r.oid, 'usage')
        and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
        and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
        -- Those of the audit's proof end by themselves.
        and r.rolname !~ '^studio_passing_')
  then
    raise exception 'studio_owner may not see and end the sessions of analysts: run studio-inventory migrate, or grant '
      'pg_signal_backend, pg_read_all_stats to studio_owner' using errcode = '42501';
  end if;

  if not pg_catalog.pg_is_in_recovery() then
    perform access.record_statements();
  end if;

  for login, pid, action, reason in
    select
      checked.login, checked.pid, case checked.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      checked.reason
    from (
      select
        s.login, s.pid,
        case
          when s.dropped then 'its login was dropped'
          when s.studio_id is null then 'its login is mapped to no studio'
          when s.elsewhere then 'it is connected to another database'
          when s.expired then 'its login has expired'
          when s.holds_id then 'its transaction holds a transaction id'
          when s.holds_lock then 'it holds an advisory lock'
          when is_queue_long and (s.is_deaf or s.transaction > grace) then 'it may hold up the queue of notifications'
          when s.place > places.one_studio then 'its studio has more sessions than one may have'
          when s.turn > places.all_studios then 'analysts have more sessions than they may, and its studio has most'
          when s.transaction > 10 * s.statement_limit then 'its transaction is too old'
          when s.idle > s.statement_limit then 'its transaction is idle for too long'
          when s.statement > s.statement_limit + least(s.statement_limit, grace) then 'its statement went on after it was cancelled'
          when s.statement > s.statement_limit then 'its statement runs too long'
        end as reason
      from access.analyst_sessions s
    ) as checked
    where checked.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    if reason = 'its transaction holds a transaction id' and not pg_catalog.pg_is_in_recovery() then
      -- Once a second, however many processes look and sessions write.
      update access.analyst_logins l
      set writes = case when l.wrote_at > pg_catalog.now() - interval '1 day' then l.writes + 1 else 1 end, wrote_at = pg_catalog.now()
      where l.login = watch_analysts.login and (l.wrote_at > pg_catalog.now() - interval '1 second') is not true;
    end if;
    return next;
  end loop;

  pid := null;
  action := 'reported';
  for login, reason in
    select p.owner, pg_catalog.format('its prepared transaction %L holds back what others may take for final', p.gid)
    from pg_catalog.pg_prepared_xacts p
    left join pg_catalog.pg_roles r on r.rolname = p.owner
    where p.database = pg_catalog.current_database()
      and (r.oid is null or (not r.rolsuper and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
        and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')))
  loop
    return next;
  end loop;
end
$$;

comment on function access.watch_analysts() is
  'Ends statements and sessions of analysts that go beyond their limits; returns which, and why.';
