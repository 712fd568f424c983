-- Resets what analysts changed for their login or group: settings, and default privileges, which
-- would outlive the login. Runs with the caller's rights, an administrator's. Skips what a login
-- holds in an open transaction, and what this administrator may not change. Returns what it reset
-- and what it skipped.
create or replace function access.reset_analysts() returns table (login name, reset text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  change record;
  -- The settings that every login may change.
  own text[] := array(select s.name from pg_catalog.pg_settings s where s.context = 'user');
begin
  for change in
    with analysts (role, login, studio_id, statement_limit) as (
      select r.oid, r.rolname, l.studio_id, l.statement_limit
      from pg_catalog.pg_roles r
      left join access.analyst_logins l on l.login = r.rolname
      where r.rolname = 'studio_analyst'
         or (l.login is not null and not r.rolsuper and not r.rolcreaterole and pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member'))
    ), changed (role, login, studio_id, statement_limit) as (
      -- Few have changed anything: the rest of the query looks at those.
      select a.* from analysts a
      where exists (select from pg_catalog.pg_db_role_setting s where s.setrole = a.role and s.setdatabase <> 0)
         or array(
           select setting collate "C"
           from pg_catalog.pg_db_role_setting s cross join lateral pg_catalog.unnest(s.setconfig) as setting
           where s.setrole = a.role and pg_catalog.split_part(setting, '=', 1) = any (own) order by 1)
         <> array(
           select (s.name || '=' || s.value) collate "C" from access.analyst_settings(a.studio_id, a.statement_limit) as s
           where a.statement_limit is not null and s.name = any (own) order by 1)
    ), present (role, login, place, name, value) as (
      select a.role, a.login, case when d.oid is null then '' else pg_catalog.format(' in database %I', d.datname) end,
        pg_catalog.split_part(setting, '=', 1), pg_catalog.substr(setting, pg_catalog.strpos(setting, '=') + 1)
      from changed a
      join pg_catalog.pg_db_role_setting s on s.setrole = a.role
      left join pg_catalog.pg_database d on d.oid = s.setdatabase
      cross join lateral pg_catalog.unnest(s.setconfig) as setting
    ), wanted (role, login, name, value) as (
      select a.role, a.login, s.name, s.value
      from changed a cross join lateral access.analyst_settings(a.studio_id, a.statement_limit) as s
      where a.statement_limit is not null
    )
    select p.login, p.name || p.place as what,
      pg_catalog.format('alter role %I%s reset %I', p.login, p.place, p.name) as text
    from present p
    where p.name = any (own)
      and not (p.place = '' and exists (select from wanted w where w.role = p.role and w.name = p.name))
    union all
    select w.login, w.name, pg_catalog.format('alter role %I set %I = %L', w.login, w.name, w.value)
    from wanted w
    where w.name = any (own)
      and not exists (select from present p where p.role = w.role and p.place = '' and p.name = w.name and p.value = w.value)
    union all
    select a.login, 'default privileges for ' || k.objects,
      pg_catalog.concat_ws('; ',
        (select pg_catalog.string_agg(pg_catalog.format('alter default privileges for role %I revoke all on %s from %s', a.login, k.objects,
            case x.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) end), '; ')
         from (select distinct e.grantee from pg_catalog.aclexplode(d.defaclacl) as e where e.grantee <> a.role) as x),
        pg_catalog.format('alter default privileges for role %I grant all on %s to %I', a.login, k.objects, a.login),
        case k.public when '' then null
          else pg_catalog.format('alter default privileges for role %I grant %s on %s to public', a.login, k.public, k.objects) end)
    from analysts a
    join pg_catalog.pg_default_acl d on d.defaclrole = a.role and d.defaclnamespace = 0
    join (values ('r', 'tables', ''), ('S', 'sequences', ''), ('f', 'functions', 'execute'), ('T', 'types', 'usage'), ('n', 'schemas', ''),
      ('L', 'large objects', '')) as k (kind, objects, public) on k.kind = d.defaclobjtype::text
  loop
    begin
      execute change.text;
      login := change.login;
      reset := change.what;
      return next;
    -- internal_error: the login alters itself at this moment.
    exception when insufficient_privilege or lock_not_available or internal_error then
      null;
    end;
  end loop;
end
$$;

comment on function access.reset_analysts() is 'Takes back what analysts have set for themselves; for administrators.';
