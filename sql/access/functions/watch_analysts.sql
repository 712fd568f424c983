-- The watchdog: ends what a login could do against its limits, since an analyst can change most
-- settings. The service calls it every few seconds; several processes may call it at once.
-- Returns what it ended, and why:
--   statement      longer than its login's limit: cancelled; its session ends if that does not
--                  help, because a session that waits for its client does not see a cancel
--   transaction    idle for as long as that limit, or open for ten times as long: its session ends,
--                  since it holds locks and old row versions
--   transaction id ten seconds old (ALTER ROLE of oneself takes one): its session ends, since it
--                  delays the moment that others may take for final
--   session        of a login without a studio, dropped, expired, or in another database: it ends
--   prepared       transaction: reported, since only its owner and superusers may roll it back
-- It sees members of studio_analyst only. Needs what grants/studio_owner.sql gives the owner;
-- raises 42501 without it.
create or replace function access.watch_analysts() returns table (login name, pid integer, action text, reason text)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  grace constant interval := interval '10 seconds';
begin
  if not (pg_catalog.pg_has_role('pg_signal_backend', 'usage') and pg_catalog.pg_has_role('pg_read_all_stats', 'usage')) then
    raise exception 'studio_owner may not see and end the sessions of analysts' using errcode = '42501',
      hint = 'As a superuser: grant pg_signal_backend, pg_read_all_stats to studio_owner';
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
          when s.holds_id and s.transaction > least(s.statement_limit, grace) then 'its transaction holds a transaction id'
          when s.transaction > 10 * s.statement_limit then 'its transaction is too old'
          when s.idle > s.statement_limit then 'its transaction is idle for too long'
          when s.statement > s.statement_limit + least(s.statement_limit, grace) then 'its statement went on after it was cancelled'
          when s.statement > s.statement_limit then 'its statement runs too long'
        end as reason
      from (
        select
          coalesce(a.usename, a.usesysid::text::name) as login, a.pid, r.oid is null as dropped, l.studio_id, l.statement_limit,
          a.datname is distinct from pg_catalog.current_database() as elsewhere,
          coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
          pg_catalog.clock_timestamp() - a.xact_start as transaction,
          a.backend_xid is not null as holds_id,
          case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
          case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement
        from pg_catalog.pg_stat_activity a
        left join pg_catalog.pg_roles r on r.oid = a.usesysid
        left join access.analyst_logins l on l.login = a.usename
        where a.backend_type = 'client backend'
          and case
            when r.oid is null then a.datname = pg_catalog.current_database()
            else not r.rolsuper
              and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
              and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
              -- In another database, only our own: the others are that database's analysts.
              and (a.datname = pg_catalog.current_database() or l.login is not null)
          end
      ) as s
    ) as checked
    where checked.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
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
