-- The members of a studio by name, with what their removal does.
--   own_tokens      working tokens that it revokes: those that act as the member and have no other
--                   member to act as afterwards
--   scoped_tokens   working tokens that act as the member, and as their issuers, who are other
--                   members, afterwards
--   analyst_logins  logins of analysts that end with it
create or replace function access.list_members(studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    u.id, access.display_name(u, m), u.email, m.role, m.created_at::timestamptz,
    tokens.own, tokens.scoped,
    (select pg_catalog.count(*) from access.analyst_logins l where l.studio_id = m.studio_id and l.user_id = m.user_id)
  from access.members m
  join access.users u on u.id = m.user_id
  cross join lateral (
    select
      pg_catalog.count(*) filter (where issuer.user_id is null) as own,
      pg_catalog.count(*) filter (where issuer.user_id is not null) as scoped
    from access.tokens t
    left join access.members issuer
      on issuer.studio_id = t.studio_id and issuer.user_id = t.issued_by and issuer.user_id <> m.user_id
    where t.studio_id = m.studio_id and coalesce(t.scope_user_id, t.issued_by) = m.user_id and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > access.clock())) as tokens
  where m.studio_id = list_members.studio_id
  order by pg_catalog.lower(access.display_name(u, m)), u.email;
end;

comment on function access.list_members(uuid) is 'The members of a studio by name, with what their removal does.';
