-- Analysts' logins that were not mapped by the commands, according to access.analyst_log: the
-- commands map a login once, when they make it. For the audit, whose reader sees neither table:
-- returns only names of logins.
create or replace function access.misdirected_analysts() returns table (login name, reason text)
language sql stable security definer
set search_path = ''
begin atomic
  select checked.login, checked.reason
  from (
    select
      l.login,
      case
        when r.oid is null then 'has no role: a role made under that name would see the studio'
        when not pg_catalog.pg_has_role(r.oid, 'studio_analyst', 'member') then 'is no member of studio_analyst'
        when not exists (select from access.analyst_log g where g.login = l.login and g.event = 'mapped')
          then 'was mapped past the log'
        when exists (
          select from access.analyst_log g
          where g.login = l.login and g.event = 'mapped' and g.studio_id <> l.studio_id)
          then 'was first mapped to another studio'
      end as reason
    from access.analyst_logins l
    left join pg_catalog.pg_roles r on r.rolname = l.login
  ) as checked
  where checked.reason is not null;
end;

comment on function access.misdirected_analysts() is
  'Analysts'' logins that are mapped otherwise than access.analyst_log says; for the audit.';
