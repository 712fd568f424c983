-- The tokens of a studio, newest first, revoked ones included; never a digest.
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, scope_email text,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language sql stable security definer
set search_path = ''
begin atomic
  select t.id, t.name, t.prefix, issuer.email, scoped.email, t.created_at, t.last_used_at, t.revoked_at
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
