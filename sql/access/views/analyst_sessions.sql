-- The open sessions of analysts: members of studio_analyst, and logins that were dropped meanwhile.
-- For the owner's functions, which see what every session does.
--   place  the session's number in its studio, oldest first
--   holds_lock  an advisory lock, held or waited for
--   turn   its number among all: the first sessions of every studio come before the second ones, so
--          that a full house has room for a studio that has none
create or replace view access.analyst_sessions with (security_invoker = true) as
select
  p.*, pg_catalog.row_number() over (order by p.place, p.began, p.pid) as turn
from (
  select
    coalesce(a.usename, a.usesysid::text::name) as login, a.pid, r.oid is null as dropped, l.studio_id, l.statement_limit,
    a.datname is distinct from pg_catalog.current_database() as elsewhere,
    coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
    pg_catalog.clock_timestamp() - a.xact_start as transaction,
    a.backend_xid is not null as holds_id,
    exists (select from pg_catalog.pg_locks k where k.pid = a.pid and k.locktype = 'advisory') as holds_lock,
    case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
    case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement,
    -- Between statements the server sends only notifications, which this client does not read.
    a.state = 'idle' and a.wait_event = 'ClientWrite' as is_deaf,
    a.query, a.query_id, a.query_start, a.backend_start as began,
    pg_catalog.row_number() over (partition by l.studio_id order by a.backend_start, a.pid) as place
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
) as p;

comment on view access.analyst_sessions is 'The open sessions of analysts, and what each of them does.';
