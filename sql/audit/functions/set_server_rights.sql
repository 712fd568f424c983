-- Sets the rights that belong to the server and not to the database. A dump carries none of them
-- to another server, which has its own functions. `migrate` calls this on every run:
-- it closes the functions of audit.closed_functions and the languages to everybody, reserves
-- connections for the service (since version 16), and lets auditors see which columns have
-- statistics. Only a superuser may close functions. Where they stay open, analysts may not connect
-- to the database, unless analysts_on_open_server; everywhere else they may.
-- The owner may see and end all sessions, for access.watch_analysts and access.end_sessions; nobody
-- can log in as it. Since version 16 an administrator with CREATEROLE may grant that only if it holds
-- it with ADMIN. Else the owner becomes a member of the analysts' logins, whose sessions it then sees
-- and ends.
-- Since version 16 analysts may not become studio_analyst, also those of a restored backup of 15.
-- Returns how many functions and languages it closed; 0 where all were closed; null where functions
-- stay open.
create or replace function audit.set_server_rights(analysts_on_open_server boolean default false) returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  f record;
  closed integer := 0;
  stays_open boolean;
begin
  -- reserved_connections: every analyst's session may be open while the service starts.
  begin
    for f in
      select r.rolname
      from pg_catalog.pg_roles r
      join pg_catalog.pg_roles reserve on reserve.rolname = 'pg_use_reserved_connections'
      where r.rolname in ('studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql')
        and not pg_catalog.pg_has_role(r.oid, reserve.oid, 'USAGE')
    loop
      execute pg_catalog.format('grant pg_use_reserved_connections to %I with inherit true, set false', f.rolname);
    end loop;
  exception when insufficient_privilege then
    null;
  end;

  if not (pg_catalog.pg_has_role('studio_owner', 'pg_signal_backend', 'USAGE')
    and pg_catalog.pg_has_role('studio_owner', 'pg_read_all_stats', 'USAGE'))
  then
    begin
      grant pg_signal_backend, pg_read_all_stats to studio_owner;
    exception when insufficient_privilege then
      for f in
        select r.rolname
        from access.analyst_logins l
        join pg_catalog.pg_roles r on r.rolname = l.login
        where not pg_catalog.pg_has_role('studio_owner', r.oid, 'USAGE')
      loop
        begin
          execute pg_catalog.format('grant %I to studio_owner', f.rolname);
        exception when insufficient_privilege then
          null; -- the watchdog says what it lacks
        end;
      end loop;
    end;
  end if;

  for f in
    select r.rolname
    from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles r on r.oid = m.member
    join access.analyst_logins l on l.login = r.rolname
    where m.roleid = 'studio_analyst'::regrole and (pg_catalog.to_jsonb(m) ->> 'set_option')::boolean
  loop
    execute pg_catalog.format('grant studio_analyst to %I with inherit true, set false', f.rolname);
  end loop;

  if (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    for f in select c.signature, c.observes from audit.closed_functions c where c.is_open loop
      execute pg_catalog.format('revoke execute on function %s from public', f.signature);
      if f.observes then
        execute pg_catalog.format('grant execute on function %s to pg_read_all_stats', f.signature);
      end if;
      closed := closed + 1;
    end loop;

    for f in
      select l.lanname
      from pg_catalog.pg_language l
      where l.lanname in ('sql', 'plpgsql')
        and (l.lanacl is null or exists (select from pg_catalog.aclexplode(l.lanacl) a where a.grantee = 0))
    loop
      execute pg_catalog.format('revoke usage on language %I from public', f.lanname);
      execute pg_catalog.format('grant usage on language %I to studio_owner', f.lanname);
      closed := closed + 1;
    end loop;

    -- Without a change there is nothing to grant again: a grant waits for others who change the row.
    if closed > 0 then
      grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint), pg_catalog.pg_current_xact_id()
        to studio_owner;
      grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner;
      grant select (starelid, staattnum, stainherit) on pg_catalog.pg_statistic to studio_auditor;
    end if;
  end if;

  stays_open := exists (select from audit.closed_functions c where c.is_open);
  if pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT')
    is distinct from (analysts_on_open_server or not stays_open)
  then
    execute pg_catalog.format(case when stays_open and not analysts_on_open_server
      then 'revoke connect on database %I from studio_analyst'
      else 'grant connect on database %I to studio_analyst' end, pg_catalog.current_database());
  end if;
  return case when not stays_open then closed end;
end
$$;

comment on function audit.set_server_rights(boolean) is
  'Closes what the server leaves open to everybody, and returns how much it closed; null where it stays open.';

-- Gives everybody back the functions that audit.set_server_rights() closed, because pg_upgrade would
-- carry their rights to a server that has other functions. Returns how many it opened. Stop the
-- service and the analysts first; `migrate` closes the functions of the new server.
-- @throws 42501 without a superuser
create or replace function audit.reset_server_rights() returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  f record;
  opened integer := 0;
begin
  for f in select c.signature from audit.closed_functions c loop
    execute pg_catalog.format('revoke all on function %s from studio_owner, pg_read_all_stats', f.signature);
    execute pg_catalog.format('grant execute on function %s to public', f.signature);
    opened := opened + 1;
  end loop;
  return opened;
end
$$;

comment on function audit.reset_server_rights() is
  'Opens to everybody again what audit.set_server_rights() closed, before pg_upgrade.';
