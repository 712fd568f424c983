-- Says which role can act as which other, directly or through further roles. Two kinds of membership are
-- not here: one that only lets its holder add members, and that of the owner in an analyst's login, by
-- which it watches that login (audit.set_server_rights()). Before version 16, every membership lets its
-- holder act as the role.
create or replace view audit.memberships with (security_invoker = true) as
with recursive usable (member, role) as (
  select m.member, m.roleid
  from pg_catalog.pg_auth_members m
  where (coalesce((pg_catalog.to_jsonb(m) ->> 'inherit_option')::boolean, true)
      or coalesce((pg_catalog.to_jsonb(m) ->> 'set_option')::boolean, true))
    and not exists (
      select from pg_catalog.pg_roles o
      join pg_catalog.pg_roles login on login.oid = m.roleid and login.rolname ~ '^analyst_[0-9a-f]{12}$'
      where o.oid = m.member and o.rolname = 'studio_owner')
), reached (member, role) as (
  select u.member, u.role from usable u
  union
  select r.member, u.role from reached r join usable u on u.member = r.role
)
select r.member, r.role from reached r;

comment on view audit.memberships is 'Who can act as whom, directly or by way of others.';
