-- Revokes a token and records it in the audit log; revoking again succeeds and returns the same
-- record. Raises 42501 unless revoked_by is an owner or admin of the studio now, SI404 for an
-- unknown token.
-- spec: "Revoke again … Succeeds and returns the existing revoked record (idempotent)."
create or replace function access.revoke_token(studio_id uuid, token_id uuid, revoked_by uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  token access.tokens;
begin
  perform from access.members m
  where m.studio_id = revoke_token.studio_id and m.user_id = revoke_token.revoked_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can revoke a token' using errcode = '42501';
  end if;

  select t.* into token from access.tokens t
  where t.studio_id = revoke_token.studio_id and t.id = revoke_token.token_id
  for no key update;
  if not found then
    raise exception 'the studio has no such token' using errcode = 'SI404';
  end if;

  if token.revoked_at is null then
    update access.tokens t set revoked_at = pg_catalog.clock_timestamp(), revoked_by = revoke_token.revoked_by
    where t.studio_id = token.studio_id and t.id = token.id
    returning t.* into token;
    insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
    values (token.studio_id, 'token.revoked', token.revoked_by, token.id, token.name, token.prefix, token.scope_user_id);
  end if;

  return query select token.id, token.name, token.prefix, token.revoked_at::timestamptz;
end
$$;

comment on function access.revoke_token(uuid, uuid, uuid) is
  'Revokes a token at once and records it in the audit log; idempotent.';
