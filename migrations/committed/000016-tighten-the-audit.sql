--! Previous: sha1:bb980dd99bb91fa76470e32403ef3b00ec31b3cb
--! Hash: sha1:bbc8d70db96faece3c9bbe3f21eaf3525d047cca
--! Message: tighten the audit

-- What a review found: views that a UNION ALL would take apart, policies and indexes that look right, functions that tell
-- what became of others' transactions, and transactions of analysts that hold an id. What pg_dump writes of a definition is
-- what is installed, so that a restored database equals a new one.
set local role studio_owner;

--! Included valuation/functions/same_inputs.sql
-- Whether two versions of an item agree in everything that its valuation depends on.
create or replace function valuation.same_inputs(before app.items, after app.items) returns boolean
language sql immutable security invoker
return not (
  before.category is distinct from after.category
  or before.purchase_price is distinct from after.purchase_price
  or before.acquisition_date is distinct from after.acquisition_date
  or before.depreciation_method is distinct from after.depreciation_method
  or before.useful_life_months is distinct from after.useful_life_months
  or before.residual_value is distinct from after.residual_value
  or before.manual_value is distinct from after.manual_value
  or before.replacement_cost is distinct from after.replacement_cost
  or before.reported_insured_value is distinct from after.reported_insured_value
  or before.market_value is distinct from after.market_value
);

comment on function valuation.same_inputs(app.items, app.items) is
  'Whether two versions of an item agree in everything that its valuation depends on.';
--! EndIncluded valuation/functions/same_inputs.sql
--! Included access/functions/watch_analysts.sql
-- The watchdog: ends what analysts may not do but could, since most settings are theirs to change. Called by the service
-- every few seconds; calling it from several processes at once does no harm. Returns what it ended, and why.
--   a statement longer than its login's limit is cancelled, and its session ended when that does not help: a session that
--   waits for a client who does not read does not see a cancel
--   a transaction that is idle for as long, or ten times as old, keeps locks and old row versions: its session is ended
--   a transaction that holds a transaction id (ALTER ROLE of oneself takes one) delays what others may take for final: its
--   session is ended after ten seconds, or sooner where its statements may not take as long
--   nobody stays whose login is mapped to no studio, has passed its end, or has strayed to another database of the server
-- It sees members of studio_analyst alone, and needs what grants/studio_owner.sql gives to the owner. Raises 42501 without.
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
      judged.login, judged.pid, case judged.reason when 'its statement runs too long' then 'cancelled' else 'ended' end,
      judged.reason
    from (
      select
        s.login, s.pid,
        case
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
          a.usename as login, a.pid, l.studio_id, l.statement_limit,
          a.datname is distinct from pg_catalog.current_database() as elsewhere,
          coalesce(r.rolvaliduntil <= pg_catalog.clock_timestamp(), false) as expired,
          pg_catalog.clock_timestamp() - a.xact_start as transaction,
          a.backend_xid is not null as holds_id,
          case when a.state like 'idle in transaction%' then pg_catalog.clock_timestamp() - a.state_change end as idle,
          case when a.state not like 'idle%' then pg_catalog.clock_timestamp() - a.query_start end as statement
        from pg_catalog.pg_stat_activity a
        join pg_catalog.pg_roles r on r.oid = a.usesysid
        left join access.analyst_logins l on l.login = a.usename
        where a.backend_type = 'client backend'
          and not r.rolsuper
          and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member')
          and not pg_catalog.pg_has_role(r.oid, 'studio_owner', 'member')
          -- In another database, only our own: the others are that database's analysts.
          and (a.datname = pg_catalog.current_database() or l.login is not null)
      ) as s
    ) as judged
    where judged.reason is not null
  loop
    if action = 'cancelled' then
      perform pg_catalog.pg_cancel_backend(pid);
    else
      perform pg_catalog.pg_terminate_backend(pid);
    end if;
    return next;
  end loop;
end
$$;

comment on function access.watch_analysts() is
  'Ends statements and sessions of analysts that go beyond their limits; returns which, and why.';
--! EndIncluded access/functions/watch_analysts.sql
--! Included audit/views/closed_functions.sql
-- Functions of the server that everybody may call in a new database, and nobody outside may call here: closed by
-- grants/database.sql, watched by audit.catalog_function_open. `observes` are those that tell what other sessions do; who
-- watches the server (pg_read_all_stats) keeps them.
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
  ('^(pg_current_xact_id|txid_current)$', false, 'A transaction id that is held delays what others may take for final.'),
  -- A count of rows stays: tools ask for it, and pg_class.reltuples tells it anyway.
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
--! EndIncluded audit/views/closed_functions.sql
--! Included audit/rules/policy_not_comparing_studio_id.sql
-- Permissive policies that let a row pass by anything else than its studio. Judged by the expression as the server
-- prints it and by the functions it depends on, so that others of the same names do not pass.
create or replace view audit.policy_not_comparing_studio_id with (security_invoker = true) as
select
  'policy_not_comparing_studio_id' as rule,
  'error' as level,
  pg_catalog.format('policy %I on %I.%I', p.polname, n.nspname, c.relname) as object,
  pg_catalog.format('lets rows pass by %s', coalesce(
    nullif(pg_catalog.concat_ws(' and ', p.visible, nullif(p.writable, p.visible)), ''), 'nothing')) as finding,
  'A row is its studio''s alone: a policy that compares anything else, or the right column with anything else, shows '
    'or takes rows of other studios.' as why,
  pg_catalog.format('alter policy %I on %I.%I using (studio_id = (select access.current_studio_id()) and '
    '((select session_user in (''studio_api'', ''studio_writer'')) or '
    '(select access.current_studio_mask())[studio_hash])) with check '
    '(studio_id = (select access.current_studio_id()));', p.polname, n.nspname, c.relname) as remedy
from (
  select
    p.oid, p.polrelid, p.polname, p.polcmd,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polqual, p.polrelid), '\maccess\.', '', 'g') as visible,
    pg_catalog.regexp_replace(pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), '\maccess\.', '', 'g') as writable,
    '((studio_id = ( SELECT current_studio_id() AS current_studio_id)) AND '
      '(( SELECT (SESSION_USER = ANY (ARRAY[''studio_api''::name, ''studio_writer''::name]))) OR '
      '(( SELECT current_studio_mask() AS current_studio_mask))[studio_hash]))' as shown,
    '(studio_id = ( SELECT current_studio_id() AS current_studio_id))' as taken
  from pg_catalog.pg_policy p
  where p.polpermissive
) as p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
-- Without its own check, a policy for writes takes what it shows.
where (p.polcmd <> 'a' and p.visible is distinct from p.shown)
   or (p.polcmd = 'a' and p.writable is distinct from p.taken)
   or p.writable <> p.taken
   -- Whatever search path it is printed by: these functions and no other, nor an operator of somebody's own.
   or exists (
     select from pg_catalog.pg_depend d
     where d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
       and (d.refclassid = 'pg_catalog.pg_operator'::regclass
         or d.refclassid = 'pg_catalog.pg_proc'::regclass and d.refobjid not in (
           select f.oid from pg_catalog.pg_proc f
           join pg_catalog.pg_namespace fn on fn.oid = f.pronamespace
           where fn.nspname = 'access' and f.proname in ('current_studio_id', 'current_studio_mask') and f.pronargs = 0)));

comment on view audit.policy_not_comparing_studio_id is
  'Permissive policies that do not compare studio_id with the session''s studio.';
--! EndIncluded audit/rules/policy_not_comparing_studio_id.sql
--! Included audit/rules/index_not_leading_with_studio_id.sql
-- Indexes of tables within an exposed role's reach whose first column is not studio_id, or that are of a kind in which the
-- first column does not bound the search.
create or replace view audit.index_not_leading_with_studio_id with (security_invoker = true) as
select
  'index_not_leading_with_studio_id' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  case m.amname
    when 'btree' then pg_catalog.format('leads with %s on %s',
      pg_catalog.pg_get_indexdef(i.indexrelid, 1, false), t.name)
    else pg_catalog.format('is of the kind %s on %s', m.amname, t.name)
  end as finding,
  'An index that is searched before the studio is known finds rows of every studio: EXPLAIN ANALYZE tells whether a '
    'value exists, and a unique one refuses what another studio has.' as why,
  'Drop it and create a B-tree with studio_id as its first column.' as remedy
from audit.exposed_tables t
join pg_catalog.pg_index i on i.indrelid = t.relation
join pg_catalog.pg_class c on c.oid = i.indexrelid
join pg_catalog.pg_am m on m.oid = c.relam
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where m.amname <> 'btree' or not exists (
  select from pg_catalog.pg_attribute a
  where a.attrelid = t.relation and a.attnum = i.indkey[0] and a.attname = 'studio_id');

comment on view audit.index_not_leading_with_studio_id is 'Indexes that are searched before the studio is known.';
--! EndIncluded audit/rules/index_not_leading_with_studio_id.sql
--! Included audit/rules/view_without_condition.sql
-- Views within reach from which a reader's UNION ALL could take a table itself: there the planner appends the policy's
-- conditions to those that the reader wrote. A view is safe when its query has WHERE or JOIN; set operations, sub-selects
-- in FROM and ONLY are refused altogether, because what is in them would have to be judged as well.
create or replace view audit.view_without_condition with (security_invoker = true) as
select
  'view_without_condition' as rule,
  'error' as level,
  v.name as object,
  'reads ' || v.sources || case
    when v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M' then ' by a set operation'
    when v.definition ~ '\mFROM ONLY\M' then ' by ONLY'
    when v.definition ~ '\mFROM \(+\s*SELECT\M' then ' by a sub-select'
    else ' without a condition'
  end as finding,
  'In a UNION ALL the conditions that a reader adds can come before those of the policy, on rows of every studio: EXPLAIN '
    'ANALYZE and time tell what others have.' as why,
  'Make it a query of tables with a condition; one that is always true will do: where studio_id is not null.' as remedy
from (
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    pg_catalog.string_agg(distinct t.oid::regclass::text collate "C", ', ') as sources,
    -- Without what stands in quotes.
    pg_catalog.regexp_replace(pg_catalog.pg_get_viewdef(c.oid, true), '''(?:[^'']|'''')*''|"(?:[^"]|"")*"', 'quoted', 'g')
      as definition
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.ev_type = '1'
  join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = r.oid
    and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> c.oid
  join pg_catalog.pg_class t on t.oid = d.refobjid and t.relrowsecurity
  where c.relkind = 'v'
    and exists (
      select from audit.exposed_roles e
      where e.name not in ('studio_api', 'studio_writer') -- whose statements are the service's own
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT'))
  group by n.nspname, c.oid, c.relname
) as v
where v.definition ~ '\m(UNION|INTERSECT|EXCEPT)\M'
   or v.definition ~ '\mFROM ONLY\M'
   or v.definition ~ '\mFROM \(+\s*SELECT\M'
   -- Pretty-printed, what belongs to the view itself is indented less than what belongs to a query inside of it. What is
   -- read from a function cannot be taken for a table.
   or v.definition !~ '\n  WHERE ' and v.definition !~ '\n     (LEFT |RIGHT |FULL |CROSS )?JOIN '
     and v.definition !~ '\n   FROM [a-z_0-9.]+\(';

comment on view audit.view_without_condition is
  'Views from which a reader''s UNION ALL could take a table itself.';
--! EndIncluded audit/rules/view_without_condition.sql
--! Included audit/rules/statistics_on_a_private_column.sql
-- Columns of which the server would keep statistics although they hold a studio's own words, numbers, ids or dates; and
-- expressions of indexes, which have statistics of their own.
create or replace view audit.statistics_on_a_private_column with (security_invoker = true) as
select
  'statistics_on_a_private_column' as rule,
  'error' as level,
  pg_catalog.format('%s (%I)', held.name, a.attname) as object,
  'has statistics, with the target ' || coalesce(nullif(a.attstattarget, -1)::text, 'that is the default') as finding,
  'They are made from every studio''s values and shape the estimates that EXPLAIN shows: a stranger''s value is found '
    'letter by letter.' as why,
  pg_catalog.format('alter %s %s alter column %s set statistics 0; -- what was collected stays until a superuser '
    'deletes it from pg_statistic (from version 18 on: pg_clear_attribute_stats)',
    held.kind, held.name, case held.kind when 'index' then a.attnum::text else pg_catalog.quote_ident(a.attname) end
  ) as remedy
from (
  select 'table' as kind, t.relation, t.name, null::int2vector as indkey
  from audit.exposed_tables t
  union all
  select 'index' as kind, i.indexrelid, pg_catalog.format('%I.%I', n.nspname, c.relname), i.indkey
  from audit.exposed_tables t
  join pg_catalog.pg_index i on i.indrelid = t.relation
  join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
) as held
join pg_catalog.pg_attribute a on a.attrelid = held.relation and a.attnum > 0 and not a.attisdropped
-- The default is null, before version 17 -1; the type differs as well.
where coalesce((pg_catalog.to_jsonb(a) ->> 'attstattarget')::integer, -1) <> 0
  and case held.kind
    when 'index' then held.indkey[a.attnum - 1] = 0
    else a.attname not in ('studio_id', 'archived_at')
  end;

comment on view audit.statistics_on_a_private_column is
  'Columns and index expressions with statistics that would show other studios'' values.';
--! EndIncluded audit/rules/statistics_on_a_private_column.sql
--! Included audit/rules/temporary_or_create.sql
-- Exposed roles, who can act as one, and everybody, with the right to make objects: temporary ones, schemas, or any in a
-- schema; theirs by grant or by a group they can act as.
create or replace view audit.temporary_or_create with (security_invoker = true) as
select
  'temporary_or_create' as rule,
  'error' as level,
  g.place || ' ' || pg_catalog.quote_ident(g.name) as object,
  pg_catalog.format('%s is granted to %s', g.privilege, g.grantee) as finding,
  'Whoever makes objects makes functions, operators and views that others may run into, and fills the disk with '
    'temporary tables.' as why,
  pg_catalog.format('revoke %s on %s %I from %s;', pg_catalog.lower(g.privilege), g.place, g.name, g.grantee) as remedy
from (
  select
    held.place, held.name, a.privilege_type as privilege,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from (
    select 'database' as place, d.datname as name, coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba)) as acl
    from pg_catalog.pg_database d where d.datname = pg_catalog.current_database()
    union all
    select 'schema' as place, n.nspname, coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))
    from pg_catalog.pg_namespace n where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  ) as held
  cross join lateral pg_catalog.aclexplode(held.acl) as a
  where a.privilege_type in ('TEMPORARY', 'CREATE')
    and (a.grantee = 0
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.temporary_or_create is 'Exposed roles that may make objects, temporary ones included.';
--! EndIncluded audit/rules/temporary_or_create.sql
--! Included audit/rules/wrong_owner.sql
-- What is not owned by studio_owner although it stands in its schemas; what a superuser owns elsewhere and an exposed
-- role can run with the superuser's rights; and a database that an exposed role owns.
create or replace view audit.wrong_owner with (security_invoker = true) as
select
  'wrong_owner' as rule,
  'error' as level,
  o.kind || ' ' || o.name as object,
  pg_catalog.format('is owned by %I', r.rolname) || case
    when r.rolsuper then ', a superuser'
    when r.rolbypassrls then ', who bypasses row-level security'
    else '' end as finding,
  'What runs with its owner''s rights (a view, a function, a trigger''s function) reads past row-level security when the '
    'owner is a superuser; and an owner may alter, grant and drop it.' as why,
  pg_catalog.format('alter %s %s owner to studio_owner;', o.kind, o.name) as remedy
from (
  select
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
      when 'S' then 'sequence' else 'table' end as kind,
    pg_catalog.format('%I.%I', s.name, c.relname) as name, c.relowner as owner
  from pg_catalog.pg_class c
  join audit.covered_schemas s on s.schema = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', s.name, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join audit.covered_schemas s on s.schema = p.pronamespace
  union all
  select 'view' as kind, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relowner
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_roles r on r.oid = c.relowner and r.rolsuper
  where c.relkind = 'v' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_any_column_privilege(e.role, c.oid, 'SELECT, INSERT, UPDATE'))
  union all
  select 'routine' as kind, pg_catalog.format('%I.%I(%s)', n.nspname, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_roles r on r.oid = p.proowner and r.rolsuper
  where p.prosecdef and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and n.oid not in (select s.schema from audit.covered_schemas s)
    and exists (
      select from audit.exposed_roles e
      where pg_catalog.has_schema_privilege(e.role, n.oid, 'USAGE')
        and pg_catalog.has_function_privilege(e.role, p.oid, 'EXECUTE'))
  union all
  select 'database' as kind, pg_catalog.quote_ident(d.datname), d.datdba
  from pg_catalog.pg_database d
  where d.datname = pg_catalog.current_database() and d.datdba in (select x.role from audit.outsiders x)
) as o
join pg_catalog.pg_roles r on r.oid = o.owner
where r.rolname <> 'studio_owner';

comment on view audit.wrong_owner is 'Objects owned by a superuser or anybody else but studio_owner.';
--! EndIncluded audit/rules/wrong_owner.sql

reset role;

--! Included grants/database.sql
-- What everybody could do in a new database and nobody needs here. Run as the administrator; where that is no
-- superuser, the catalog's own functions and languages stay as they are and the audit says so.

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to studio_owner, studio_api, studio_recorder, studio_writer, '
    'studio_console, studio_graphql, studio_analyst, studio_auditor', current_database());
  -- For app.open_import. Nobody who can log in has it; the function says why.
  execute format('grant temporary on database %I to studio_owner', current_database());
end
$$;

-- The owner reads which migrations have run (access.schema_version).
grant usage on schema graphile_migrate to studio_owner;
grant select on graphile_migrate.migrations to studio_owner;

do $$
declare
  f record;
begin
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    raise warning 'not a superuser: languages and catalog functions stay open to everybody';
    return;
  end if;

  revoke usage on language plpgsql, sql from public;
  grant usage on language plpgsql, sql to studio_owner;

  for f in
    select c.signature, c.observes
    from audit.closed_functions c
    join pg_catalog.pg_proc p on p.oid = c.function
    where p.proacl is null or exists (
      select from pg_catalog.aclexplode(p.proacl) a where a.grantee = 0 and a.privilege_type = 'EXECUTE')
  loop
    execute format('revoke execute on function %s from public', f.signature);
    if f.observes then
      execute format('grant execute on function %s to pg_read_all_stats', f.signature);
    end if;
  end loop;
  grant execute on function pg_catalog.pg_try_advisory_xact_lock(bigint) to studio_owner;
  grant execute on function pg_catalog.pg_stat_get_activity(integer) to studio_owner, pg_read_all_stats;
end
$$;
--! EndIncluded grants/database.sql
