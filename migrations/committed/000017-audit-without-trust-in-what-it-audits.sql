--! Previous: sha1:bbc8d70db96faece3c9bbe3f21eaf3525d047cca
--! Hash: sha1:de94ef7c20ca1db99c34c349b12ff593dc15f372
--! Message: audit without trust in what it audits

-- Rules call a role by its kind, as the comparison does, so that a name accepts findings on that role and on nothing else;
-- a setting of every role is said and no longer fails the audit.
set local role studio_owner;

--! Included audit/rules/analyst_mapping_changed.sql
-- Analysts' logins whose studio is not the one they were made for, or that nobody holds. Reads no row: a function of the
-- owner compares the mapping with its log and returns names.
create or replace view audit.analyst_mapping_changed with (security_invoker = true) as
select
  'analyst_mapping_changed' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(m.login) as object,
  m.reason as finding,
  'An analyst sees the studio that access.analyst_logins names; the commands map a login once, and never to another studio.'
    as why,
  pg_catalog.format('delete from access.analyst_logins where login = %L; -- then make a login with analyst create', m.login)
    as remedy
from access.misdirected_analysts() as m;

comment on view audit.analyst_mapping_changed is
  'Analysts'' logins that are mapped otherwise than they were made.';
--! EndIncluded audit/rules/analyst_mapping_changed.sql
--! Included audit/rules/dangerous_membership.sql
-- Exposed roles, and who can act as one, that can act as a role of the server (pg_read_all_data, …), as somebody bound
-- by no policy or as the owner, or that may let others in. That an exposed role can act as another or as the owner is
-- said by audit.member_of_two_exposed_roles.
create or replace view audit.dangerous_membership with (security_invoker = true) as
select
  'dangerous_membership' as rule,
  'error' as level,
  'role ' || pg_catalog.quote_ident(x.name) as object,
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
  'dangerous_membership', 'error', 'role ' || pg_catalog.quote_ident(holder.rolname),
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
  'role ' || pg_catalog.quote_ident(h.name) as object,
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
  'role ' || pg_catalog.quote_ident(l.name) as object,
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
  'role ' || pg_catalog.quote_ident(h.name) as object,
  case when h.exposed then 'is exposed itself and a member of ' else 'is a member of ' end || h.names as finding,
  'What each role may do is safe by itself; together they may do what was meant for none.' as why,
  pg_catalog.format('revoke %s from %I;', h.names, h.name) ||
    case when h.exposed then '' else ' -- but for the one that is needed' end as remedy
from held h
where h.exposed or h.roles > 1;

comment on view audit.member_of_two_exposed_roles is
  'Roles that can act as two exposed roles, and exposed roles that can act as another.';
--! EndIncluded audit/rules/member_of_two_exposed_roles.sql
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
      case when s.setrole = 0 and s.setdatabase = 0 then 'role all'
        when s.setrole = 0 then pg_catalog.format('database %I', d.datname)
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
  'role ' || pg_catalog.quote_ident(f.name) as object,
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
