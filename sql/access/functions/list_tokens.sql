-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it
--                      acts as its issuer
--   addresses          as they are written: an address without the length of its network
--   refused_for_issuer whether the API refuses it because the person it acts as has left
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, issued_by_name text, scope_email text, scope_name text,
  former_scope_name text, refused_for_issuer boolean,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  expires_at timestamptz, expired boolean, addresses text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer, issuing), scoped.email,
    access.display_name(scoped, scoping), access.display_name(former, returned),
    t.revoked_at is null and t.scope_user_id is null and issuing.user_id is null,
    t.created_at, t.last_used_at, t.revoked_at,
    t.expires_at, coalesce(t.expires_at <= access.clock(), false), access.address_texts(t.addresses)
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.members issuing on issuing.studio_id = t.studio_id and issuing.user_id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  left join access.members scoping on scoping.studio_id = t.studio_id and scoping.user_id = t.scope_user_id
  left join access.audit_log issuance
    on issuance.studio_id = t.studio_id and issuance.token_id = t.id and issuance.event = 'token.issued'
    and t.scope_user_id is null
  left join access.users former on former.id = issuance.scope_user_id
  left join access.members returned on returned.studio_id = t.studio_id and returned.user_id = issuance.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
