--! Previous: sha1:5246d5519e5388e78ea5367c03a5f6244f6a32d2
--! Hash: sha1:77f11eba8f2b4ab6268ad35ac905bd4f0c643e6c
--! Message: audit

-- Foreign keys that no index served.
set local role studio_owner;
create index if not exists tokens_by_issuer on access.tokens (issued_by);
create index if not exists tokens_by_revoker on access.tokens (revoked_by) where revoked_by is not null;
create index if not exists audit_log_by_actor on access.audit_log (actor_user_id);
create index if not exists analyst_logins_by_member on access.analyst_logins (studio_id, user_id);
create index if not exists analyst_log_by_studio on access.analyst_log (studio_id);
create index if not exists analyst_log_by_user on access.analyst_log (user_id) where user_id is not null;
create index if not exists analyst_logins_by_user on access.analyst_logins (user_id) where user_id is not null;

--! Included audit/views/memberships.sql
-- Who can act as whom, directly or by way of others. A membership that only lets its holder make others members is none;
-- before version 16 every membership could be used.
create or replace view audit.memberships with (security_invoker = true) as
with recursive usable (member, role) as (
  select m.member, m.roleid
  from pg_catalog.pg_auth_members m
  where coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
     or coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true)
), reached (member, role) as (
  select u.member, u.role from usable u
  union
  select r.member, u.role from reached r join usable u on u.member = r.role
)
select r.member, r.role from reached r;

comment on view audit.memberships is 'Who can act as whom, directly or by way of others.';
--! EndIncluded audit/views/memberships.sql
--! Included audit/views/outsiders.sql
-- The exposed roles, and every login or group that can act as one. Administrators (superusers, and who may create roles)
-- who can are left out: they can become anybody.
create or replace view audit.outsiders with (security_invoker = true) as
select e.role, e.name, true as exposed
from audit.exposed_roles e
union all
select r.oid, r.rolname, false
from pg_catalog.pg_roles r
where not r.rolsuper and not r.rolcreaterole and r.rolname <> 'studio_owner'
  and r.oid not in (select e.role from audit.exposed_roles e)
  and exists (
    select from audit.memberships m
    where m.member = r.oid and m.role in (select e.role from audit.exposed_roles e));

comment on view audit.outsiders is 'The exposed roles, and everybody but administrators who can act as one.';
--! EndIncluded audit/views/outsiders.sql
--! Included audit/views/safe_versions.sql
-- The first minor version of each major that has the fixes on which the isolation of studios relies; older majors than
-- these have none, later ones have them all.
create or replace view audit.safe_versions with (security_invoker = true) as
select v.major, v.minor
from (values (15, 20), (16, 16), (17, 12), (18, 6)) as v (major, minor);

comment on view audit.safe_versions is 'The first safe minor version of each major version of PostgreSQL.';
--! EndIncluded audit/views/safe_versions.sql
--! Included audit/rules/permissive_policies_that_add_up.sql
-- Tables with more than one permissive policy for the same command.
create or replace view audit.permissive_policies_that_add_up with (security_invoker = true) as
select
  'permissive_policies_that_add_up' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, c.relname) as object,
  pg_catalog.format('has %s permissive policies for one command: %s', pg_catalog.count(*),
    pg_catalog.string_agg(pg_catalog.quote_ident(p.polname), ', ' order by p.polname)) as finding,
  'Permissive policies are alternatives: a row passes when any of them lets it, so a second one can only show more.'
    as why,
  pg_catalog.format('Drop all of them on %I.%I but one, or make the others restrictive.', n.nspname, c.relname) as remedy
from pg_catalog.pg_policy p
join pg_catalog.pg_class c on c.oid = p.polrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
where p.polpermissive and exists (
  select from pg_catalog.pg_policy other
  where other.polrelid = p.polrelid and other.oid <> p.oid and other.polpermissive
    and (other.polcmd = p.polcmd or '*' in (other.polcmd, p.polcmd)))
group by n.nspname, c.relname;

comment on view audit.permissive_policies_that_add_up is 'Tables on which several permissive policies apply at once.';
--! EndIncluded audit/rules/permissive_policies_that_add_up.sql
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
  select 'routine', pg_catalog.format('%I.%I(%s)', s.name, p.proname,
    pg_catalog.pg_get_function_identity_arguments(p.oid)), p.proowner
  from pg_catalog.pg_proc p
  join audit.covered_schemas s on s.schema = p.pronamespace
  union all
  select 'view', pg_catalog.format('%I.%I', n.nspname, c.relname), c.relowner
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
  select 'routine', pg_catalog.format('%I.%I(%s)', n.nspname, p.proname,
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
  select 'database', pg_catalog.quote_ident(d.datname), d.datdba
  from pg_catalog.pg_database d
  where d.datname = pg_catalog.current_database() and d.datdba in (select x.role from audit.outsiders x)
) as o
join pg_catalog.pg_roles r on r.oid = o.owner
where r.rolname <> 'studio_owner';

comment on view audit.wrong_owner is 'Objects owned by a superuser or anybody else but studio_owner.';
--! EndIncluded audit/rules/wrong_owner.sql
--! Included audit/rules/catalog_function_open.sql
-- Functions of the server that are no use to a reader and of use to an attacker, and that an exposed role may call:
-- large objects, advisory locks, sleeping, messages to other sessions.
create or replace view audit.catalog_function_open with (security_invoker = true) as
select
  'catalog_function_open' as rule,
  'error' as level,
  pg_catalog.format('pg_catalog.%I', f.name) as object,
  'may be called by ' || f.grantee as finding,
  'Large objects are rows outside row-level security, an advisory lock or a sleep holds up others, a notification '
    'reaches their sessions.' as why,
  pg_catalog.format('revoke execute on function %s from %s;', f.signatures, f.grantee) as remedy
from (
  select
    p.proname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee,
    pg_catalog.string_agg(pg_catalog.format('pg_catalog.%I(%s)', p.proname,
      pg_catalog.pg_get_function_identity_arguments(p.oid)), ', ' order by p.oid) as signatures
  from pg_catalog.pg_proc p
  cross join lateral pg_catalog.aclexplode(coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))) as a
  where p.pronamespace = 'pg_catalog'::regnamespace
    and (p.proname ~ '^(lo_|pg_(try_)?advisory_|pg_sleep)' or p.proname in ('loread', 'lowrite', 'pg_notify'))
    and a.privilege_type = 'EXECUTE'
    and (a.grantee = 0 or a.grantee in (select x.role from audit.outsiders x))
  group by p.proname, a.grantee
) as f;

comment on view audit.catalog_function_open is
  'Large object, advisory lock, sleep and notify functions that an exposed role may call.';
--! EndIncluded audit/rules/catalog_function_open.sql
--! Included audit/rules/language_usage.sql
-- Languages in which an exposed role, who can act as one, or everybody may write functions and DO blocks.
create or replace view audit.language_usage with (security_invoker = true) as
select
  'language_usage' as rule,
  'error' as level,
  'language ' || pg_catalog.quote_ident(g.name) as object,
  'USAGE is granted to ' || g.grantee as finding,
  'In a language of the server one writes loops that guess values, catches the errors and hides the time they take; '
    'readers need none.' as why,
  pg_catalog.format('revoke usage on language %I from %s;', g.name, g.grantee) as remedy
from (
  select
    l.lanname as name,
    case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end as grantee
  from pg_catalog.pg_language l
  cross join lateral pg_catalog.aclexplode(coalesce(l.lanacl, pg_catalog.acldefault('l', l.lanowner))) as a
  -- Of the others only superusers make functions, whatever is granted.
  where l.lanpltrusted
    and (a.grantee = 0
      or a.grantee in (select x.role from audit.outsiders x)
      or exists (
        select from audit.outsiders x
        join audit.memberships m on m.member = x.role
        join pg_catalog.pg_roles r on r.oid = m.role
        where r.oid = a.grantee and not r.rolsuper and r.rolname <> 'studio_owner'))
) as g;

comment on view audit.language_usage is 'Languages in which an exposed role may write code.';
--! EndIncluded audit/rules/language_usage.sql
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
    select 'schema', n.nspname, coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))
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
--! Included audit/rules/usage_on_app.sql
-- Who can name the tables, by whatever grant or membership; of a group and its members the group alone. Left out are
-- superusers, the owner and its members, and the roles that come with the server.
create or replace view audit.usage_on_app with (security_invoker = true) as
with app as (
  select n.oid, exists (
    select from pg_catalog.aclexplode(n.nspacl) a where a.grantee = 0) as open_to_everybody
  from pg_catalog.pg_namespace n
  where n.nspname = 'app'
), holders as (
  select r.oid, r.rolname as name
  from app
  join pg_catalog.pg_roles r
    on not app.open_to_everybody and pg_catalog.has_schema_privilege(r.oid, app.oid, 'USAGE, CREATE')
  where r.rolname not in ('studio_owner', 'studio_writer') and r.rolname !~ '^pg_'
    and not r.rolsuper
    and not exists (
      select from pg_catalog.pg_roles o
      where o.rolname = 'studio_owner' and pg_catalog.pg_has_role(r.oid, o.oid, 'MEMBER'))
)
select
  'usage_on_app' as rule,
  'error' as level,
  pg_catalog.quote_ident(f.name) as object,
  'has USAGE or CREATE on schema app' as finding,
  'Readers reach the tables through the views alone: who can name a table can ask for its columns without the '
    'conditions of the view, archived items for one.' as why,
  pg_catalog.format('revoke all on schema app from %s; -- or its membership in the role that has it',
    pg_catalog.quote_ident(f.name)) as remedy
from (
  select 'public' as name from app where app.open_to_everybody
  union all
  select h.name from holders h
  where not exists (
    select from holders g where g.oid <> h.oid and pg_catalog.pg_has_role(h.oid, g.oid, 'USAGE'))
) as f;

comment on view audit.usage_on_app is 'Who can name the tables, other than the owner and the writer.';
--! EndIncluded audit/rules/usage_on_app.sql
--! Included audit/rules/member_of_two_exposed_roles.sql
-- Roles that can act as two exposed roles, and exposed roles that can act as another or as the owner, directly or by
-- way of others. Administrators (superusers, and who may create roles) are left out: they can become anybody. So is a
-- membership that only lets its holder make others members.
create or replace view audit.member_of_two_exposed_roles with (security_invoker = true) as
with held as (
  select
    member.oid, member.rolname as name, e.role is not null as exposed, pg_catalog.count(*) as roles,
    pg_catalog.string_agg(pg_catalog.quote_ident(role.rolname), ', ' order by role.rolname) as names
  from audit.memberships reached
  join pg_catalog.pg_roles member on member.oid = reached.member
  join pg_catalog.pg_roles role on role.oid = reached.role
  left join audit.exposed_roles e on e.role = member.oid
  where not member.rolsuper and not member.rolcreaterole
    and (role.oid in (select x.role from audit.exposed_roles x)
      or (e.role is not null and role.rolname = 'studio_owner'))
  group by member.oid, member.rolname, e.role
)
select
  'member_of_two_exposed_roles' as rule,
  'error' as level,
  pg_catalog.quote_ident(h.name) as object,
  case when h.exposed then 'is exposed itself and a member of ' else 'is a member of ' end || h.names as finding,
  'What each role may do is safe by itself; together they may do what was meant for none.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
--! EndIncluded audit/rules/member_of_two_exposed_roles.sql
--! Included audit/rules/dangerous_membership.sql
-- Exposed roles, and who can act as one, that can act as a role of the server (pg_read_all_data, …), as somebody bound
-- by no policy or as the owner, or that may let others in. That an exposed role can act as another or as the owner is
-- said by audit.member_of_two_exposed_roles.
create or replace view audit.dangerous_membership with (security_invoker = true) as
select
  'dangerous_membership' as rule,
  'error' as level,
  pg_catalog.quote_ident(x.name) as object,
  pg_catalog.format('can act as %I', r.rolname) as finding,
  'The roles that come with the server read, write or signal past every grant; so does whoever owns the tables or '
    'bypasses row-level security.' as why,
  pg_catalog.format('revoke %I from %I; -- or from the role through which it comes', r.rolname, x.name) as remedy
from audit.outsiders x
join audit.memberships m on m.member = x.role
join pg_catalog.pg_roles r on r.oid = m.role
where (
    r.rolname ~ '^pg_' or r.rolsuper or r.rolbypassrls or r.rolreplication or r.rolcreaterole
    or (r.rolname = 'studio_owner' and not x.exposed)
  )
  -- What comes with the owner is said by naming the owner.
  and not exists (
    select from audit.memberships owner_of
    join pg_catalog.pg_roles owner on owner.oid = owner_of.role and owner.rolname = 'studio_owner'
    join audit.memberships with_owner on with_owner.member = owner.oid and with_owner.role = m.role
    where owner_of.member = x.role)
union all
select
  'dangerous_membership', 'error', pg_catalog.quote_ident(holder.rolname),
  pg_catalog.format('may make others members of %I', r.rolname),
  'Who may pass a membership on decides who reads and writes the studios'' data.',
  pg_catalog.format('revoke admin option for %I from %I;', r.rolname, holder.rolname)
from pg_catalog.pg_auth_members m
join pg_catalog.pg_roles holder on holder.oid = m.member
join pg_catalog.pg_roles r on r.oid = m.roleid
where m.admin_option and not holder.rolsuper and not holder.rolcreaterole
  and (r.rolname = 'studio_owner' or r.oid in (select e.role from audit.exposed_roles e));

comment on view audit.dangerous_membership is
  'Outsiders who can act as a role that reads past every grant, or who may let others in.';
--! EndIncluded audit/rules/dangerous_membership.sql
--! Included audit/rules/exposed_role_with_powers.sql
-- Exposed roles, who can act as one, and the owner, with an attribute that reaches past every grant and policy.
create or replace view audit.exposed_role_with_powers with (security_invoker = true) as
select
  'exposed_role_with_powers' as rule,
  'error' as level,
  pg_catalog.quote_ident(h.name) as object,
  'has the attributes: ' || h.powers as finding,
  'Who is a superuser, bypasses row-level security, copies the server''s log of changes or makes roles and databases is '
    'bound by no policy; the owner and the groups are nobody''s login.' as why,
  pg_catalog.format('alter role %I %s;', h.name,
    pg_catalog.regexp_replace(pg_catalog.replace(h.powers, ',', ''), '(\w+)', 'no\1', 'g')) as remedy
from (
  select r.rolname as name, pg_catalog.concat_ws(', ',
    case when r.rolsuper then 'superuser' end,
    case when r.rolbypassrls then 'bypassrls' end,
    case when r.rolreplication then 'replication' end,
    case when r.rolcreaterole then 'createrole' end,
    case when r.rolcreatedb then 'createdb' end,
    case when r.rolcanlogin and r.rolname in ('studio_owner', 'studio_analyst', 'studio_auditor') then 'login' end
  ) as powers
  from pg_catalog.pg_roles r
  where r.rolname = 'studio_owner' or r.oid in (select x.role from audit.outsiders x)
) as h
where h.powers <> '';

comment on view audit.exposed_role_with_powers is
  'Exposed roles with an attribute that reaches past every grant and policy.';
--! EndIncluded audit/rules/exposed_role_with_powers.sql
--! Included audit/rules/login_without_limits.sql
-- Analysts' logins without an end, a number of connections, or limits on temporary files and on the time of a statement.
-- The service's own logins are exempt: as many connect as its pools are large, and their statements are all ours.
-- A login's settings are its own; those of its group are not inherited.
create or replace view audit.login_without_limits with (security_invoker = true) as
with settings (role, name, value) as (
  select r.oid, pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)
  from pg_catalog.pg_roles r
  join pg_catalog.pg_db_role_setting s on s.setrole in (r.oid, 0)
  left join pg_catalog.pg_database d on d.oid = s.setdatabase
  cross join lateral pg_catalog.unnest(s.setconfig) as setting
  where d.datname is null or d.datname = pg_catalog.current_database()
)
select
  'login_without_limits' as rule,
  'warning' as level,
  pg_catalog.quote_ident(l.name) as object,
  'has no ' || l.missing as finding,
  'An analyst writes any statement: without limits one of them takes every connection, the disk or the processors, and '
    'a forgotten login lives for ever.' as why,
  pg_catalog.concat_ws(' ',
    case when l.endless then
      pg_catalog.format('alter role %I valid until %L;', l.name, (pg_catalog.now() + interval '90 days')::date) end,
    case when l.unlimited then pg_catalog.format('alter role %I connection limit 4;', l.name) end,
    case when l.boundless then pg_catalog.format('alter role %I set temp_file_limit = ''1GB'';', l.name) end,
    case when l.timeless then pg_catalog.format('alter role %I set statement_timeout = ''60s'';', l.name) end) as remedy
from (
  select held.*, pg_catalog.concat_ws(', no ',
    case when held.endless then 'VALID UNTIL' end,
    case when held.unlimited then 'CONNECTION LIMIT' end,
    case when held.boundless then 'temp_file_limit' end,
    case when held.timeless then 'statement_timeout' end) as missing
  from (
    select
      r.rolname as name,
      coalesce(r.rolvaliduntil, 'infinity') = 'infinity' as endless,
      r.rolconnlimit < 0 as unlimited,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'temp_file_limit' and s.value !~ '^-') as boundless,
      not exists (
        select from settings s where s.role = r.oid and s.name = 'statement_timeout' and s.value !~ '^0+\D*$')
        as timeless
    from pg_catalog.pg_roles r
    join audit.memberships m on m.member = r.oid
    join audit.exposed_roles e on e.role = m.role and e.name = 'studio_analyst'
    where r.rolcanlogin and not r.rolsuper and not r.rolcreaterole
  ) as held
) as l
where l.missing <> '';

comment on view audit.login_without_limits is 'Analysts'' logins without an end or without limits.';
--! EndIncluded audit/rules/login_without_limits.sql
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
  select 'index', i.indexrelid, pg_catalog.format('%I.%I', n.nspname, c.relname), i.indkey
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
--! Included audit/rules/extended_statistics.sql
-- Extended statistics on tables within an exposed role's reach.
create or replace view audit.extended_statistics with (security_invoker = true) as
select
  'extended_statistics' as rule,
  'error' as level,
  pg_catalog.format('%I.%I', n.nspname, x.stxname) as object,
  'are extended statistics on ' || t.name as finding,
  'They are made from every studio''s values and shape the estimates that EXPLAIN shows, also of columns that have no '
    'statistics of their own.' as why,
  pg_catalog.format('drop statistics %I.%I;', n.nspname, x.stxname) as remedy
from audit.exposed_tables t
join pg_catalog.pg_statistic_ext x on x.stxrelid = t.relation
join pg_catalog.pg_namespace n on n.oid = x.stxnamespace;

comment on view audit.extended_statistics is 'Extended statistics on tables within an exposed role''s reach.';
--! EndIncluded audit/rules/extended_statistics.sql
--! Included audit/rules/foreign_key_across_studios.sql
-- Foreign keys that a row of one studio can use to point at a row of another: to a table with studio_id without
-- comparing it, and to app.studios from another column than studio_id.
create or replace view audit.foreign_key_across_studios with (security_invoker = true) as
select
  'foreign_key_across_studios' as rule,
  'error' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, n.nspname, c.relname) as object,
  pg_catalog.format('points at %I.%I without studio_id', fn.nspname, f.relname) as finding,
  'The server checks foreign keys past row-level security: the row may point into another studio, and whether it is '
    'taken or refused tells which ids exist there.' as why,
  pg_catalog.format('Drop it, give %I.%I the column studio_id where it has none, and add it anew with studio_id on both '
    'sides.', n.nspname, c.relname) as remedy
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join audit.covered_schemas s on s.schema = n.oid
join pg_catalog.pg_class f on f.oid = k.confrelid
join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
-- What names a studio in the referenced table; a table that names none is shared by all.
join pg_catalog.pg_attribute studio on studio.attrelid = f.oid and not studio.attisdropped
  and studio.attname = case when (fn.nspname, f.relname) = ('app', 'studios') then 'id' else 'studio_id' end
where k.contype = 'f' and not exists (
  select
  from rows from (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey)) as pair (referencing, referenced)
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = pair.referencing
  where a.attname = 'studio_id' and pair.referenced = studio.attnum);

comment on view audit.foreign_key_across_studios is 'Foreign keys that can point into another studio.';
--! EndIncluded audit/rules/foreign_key_across_studios.sql
--! Included audit/rules/foreign_key_without_index.sql
-- Foreign keys of which no index begins with the columns, in any order. An index with a condition counts when that says
-- no more than that columns of the key are not null. Exempt is the vocabulary app.categories: only migrations change it,
-- and an index that leads with a category would not lead with studio_id.
create or replace view audit.foreign_key_without_index with (security_invoker = true) as
select
  'foreign_key_without_index' as rule,
  'warning' as level,
  pg_catalog.format('constraint %I on %I.%I', k.conname, k.schema, k.relation) as object,
  pg_catalog.format('no index begins with %s', k.columns) as finding,
  'Every row that is deleted from, or given another key in, the referenced table is looked for in the whole table, '
    'which is locked against it as long.' as why,
  pg_catalog.format('create index on %I.%I (%s);', k.schema, k.relation, k.columns) as remedy
from (
  select
    c.conname, n.nspname as schema, r.relname as relation, c.conrelid, c.conkey,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' order by key.position)
     from pg_catalog.unnest(c.conkey) with ordinality as key (number, position)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as columns,
    (select pg_catalog.string_agg(pg_catalog.format('(%I IS NOT NULL)', a.attname), '|')
     from pg_catalog.unnest(c.conkey) as key (number)
     join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = key.number) as conditions
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class r on r.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = r.relnamespace
  join audit.covered_schemas s on s.schema = n.oid
  join pg_catalog.pg_class f on f.oid = c.confrelid
  join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
  where c.contype = 'f' and (fn.nspname, f.relname) <> ('app', 'categories')
) as k
where not exists (
  select
  from pg_catalog.pg_index i
  where i.indrelid = k.conrelid and i.indisvalid and i.indnkeyatts >= pg_catalog.cardinality(k.conkey)
    and (i.indkey::int2[])[0:pg_catalog.cardinality(k.conkey) - 1] @> k.conkey
    and (i.indpred is null or pg_catalog.pg_get_expr(i.indpred, i.indrelid)
      = any (pg_catalog.string_to_array(k.conditions, '|'))));

comment on view audit.foreign_key_without_index is 'Foreign keys that no index serves.';
--! EndIncluded audit/rules/foreign_key_without_index.sql
--! Included audit/rules/setting_with_a_secret.sql
-- Settings of roles, databases and functions that look like a secret, by their name or by a password in their value.
-- What was set in the server's files cannot be listed by an auditor.
create or replace view audit.setting_with_a_secret with (security_invoker = true) as
select
  'setting_with_a_secret' as rule,
  'error' as level,
  h.holder as object,
  pg_catalog.format('the setting %I looks like a secret', h.name) as finding,
  'Everybody who can log in reads the settings of all roles, databases and functions.' as why,
  pg_catalog.format('alter %s reset %s; -- and change the secret: it was readable', h.holder,
    (select pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' order by position)
     from pg_catalog.regexp_split_to_table(h.name, '\.') with ordinality as parts (part, position))) as remedy
from (
  select
    places.holder,
    pg_catalog.split_part(setting, '=', 1) as name,
    pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1) as value
  from (
    select
      case when s.setrole = 0 then pg_catalog.format('database %I', d.datname)
        when d.oid is null then pg_catalog.format('role %I', pg_catalog.pg_get_userbyid(s.setrole))
        else pg_catalog.format('role %I in database %I', pg_catalog.pg_get_userbyid(s.setrole), d.datname)
      end as holder,
      s.setconfig as settings
    from pg_catalog.pg_db_role_setting s
    left join pg_catalog.pg_database d on d.oid = s.setdatabase
    where d.oid is null or d.datname = pg_catalog.current_database()
    union all
    select
      pg_catalog.format('routine %I.%I(%s)', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid)),
      p.proconfig
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  ) as places
  cross join lateral pg_catalog.unnest(places.settings) as setting
) as h
-- The server's own settings have no dot in their name; none of those holds a secret but by what is in its value.
where h.name ~* '\..*(pass|secret|token|credential|private|_?key$)'
   or h.value ~ '://[^/@\s]*:[^/@\s]+@'
   or h.value ~* '\mpassword\s*=';

comment on view audit.setting_with_a_secret is 'Settings that hold what looks like a secret.';
--! EndIncluded audit/rules/setting_with_a_secret.sql
--! Included audit/rules/server_below_safe_version.sql
-- A server without the fixes on which the isolation of studios relies.
create or replace view audit.server_below_safe_version with (security_invoker = true) as
select
  'server_below_safe_version' as rule,
  'error' as level,
  'server' as object,
  pg_catalog.format('is PostgreSQL %s.%s', v.major, v.minor) as finding,
  'Older versions have known ways around row-level security and grants.' as why,
  'Install PostgreSQL ' || coalesce(
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s where s.major = v.major),
    (select pg_catalog.format('%s.%s', s.major, s.minor) from audit.safe_versions s order by s.major desc limit 1)
  ) || ' or newer.' as remedy
from (
  select n.number / 10000 as major, n.number % 10000 as minor
  from (select pg_catalog.current_setting('server_version_num')::integer as number) as n
) as v
where v.major < (select pg_catalog.min(s.major) from audit.safe_versions s)
   or exists (select from audit.safe_versions s where s.major = v.major and s.minor > v.minor);

comment on view audit.server_below_safe_version is 'A server without the fixes on which isolation relies.';
--! EndIncluded audit/rules/server_below_safe_version.sql
--! Included audit/views/findings.sql
-- What all rules find; nothing in a sound database. A rule is a view of its own with these columns: which rule, how bad
-- (error: another studio's data is or may come within reach; warning: something else that should not stay), on what,
-- what is wrong, why it matters, how to mend it.
create or replace view audit.findings with (security_invoker = true) as
select rule, level, object, finding, why, remedy from audit.table_without_row_level_security
union all
select rule, level, object, finding, why, remedy from audit.policy_for_a_role
union all
select rule, level, object, finding, why, remedy from audit.policy_not_comparing_studio_id
union all
select rule, level, object, finding, why, remedy from audit.permissive_policies_that_add_up
union all
select rule, level, object, finding, why, remedy from audit.view_not_invoker
union all
select rule, level, object, finding, why, remedy from audit.wrong_owner
union all
select rule, level, object, finding, why, remedy from audit.function_without_search_path
union all
select rule, level, object, finding, why, remedy from audit.executable_by_everybody
union all
select rule, level, object, finding, why, remedy from audit.catalog_function_open
union all
select rule, level, object, finding, why, remedy from audit.language_usage
union all
select rule, level, object, finding, why, remedy from audit.temporary_or_create
union all
select rule, level, object, finding, why, remedy from audit.column_grant_beyond_the_list
union all
select rule, level, object, finding, why, remedy from audit.usage_on_app
union all
select rule, level, object, finding, why, remedy from audit.member_of_two_exposed_roles
union all
select rule, level, object, finding, why, remedy from audit.dangerous_membership
union all
select rule, level, object, finding, why, remedy from audit.exposed_role_with_powers
union all
select rule, level, object, finding, why, remedy from audit.login_without_limits
union all
select rule, level, object, finding, why, remedy from audit.index_not_leading_with_studio_id
union all
select rule, level, object, finding, why, remedy from audit.statistics_on_a_private_column
union all
select rule, level, object, finding, why, remedy from audit.extended_statistics
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_across_studios
union all
select rule, level, object, finding, why, remedy from audit.foreign_key_without_index
union all
select rule, level, object, finding, why, remedy from audit.setting_with_a_secret
union all
select rule, level, object, finding, why, remedy from audit.server_below_safe_version;

comment on view audit.findings is 'What all rules of the audit find; no row in a sound database.';
--! EndIncluded audit/views/findings.sql
--! Included audit/views/effective_privileges.sql
-- What each exposed role may in fact do with each table, view and column, whichever way the privilege came: role ×
-- relation × column × privilege. The whole relation is the column '*': there stand the privileges that columns do not
-- have.
create or replace view audit.effective_privileges with (security_invoker = true) as
select
  e.name as role, pg_catalog.format('%I.%I', s.name, c.relname) as relation, c.relkind as kind, a.attname as column_name,
  a.attnum as position, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('REFERENCES')) as held (privilege)
where pg_catalog.has_column_privilege(e.role, c.oid, a.attnum, held.privilege)
union all
select
  e.name, pg_catalog.format('%I.%I', s.name, c.relname), c.relkind, '*', 0::smallint, held.privilege
from audit.exposed_roles e
cross join audit.covered_schemas s
join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
cross join (values ('DELETE'), ('TRUNCATE'), ('TRIGGER')) as held (privilege)
where pg_catalog.has_table_privilege(e.role, c.oid, held.privilege);

comment on view audit.effective_privileges is
  'What each exposed role may do with each table, view and column, whichever way the privilege came.';
--! EndIncluded audit/views/effective_privileges.sql
--! Included grants/studio_auditor.sql
-- Auditors read the checks on the catalog.

grant select on all tables in schema audit to studio_auditor;
--! EndIncluded grants/studio_auditor.sql

reset role;
