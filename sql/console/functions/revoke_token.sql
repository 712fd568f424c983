-- Revokes a token in the name of the session's user; idempotent, see access.revoke_token.
-- Raises what console.membership and access.revoke_token raise.
create or replace function console.revoke_token(session_digest bytea, studio_id uuid, token_id uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := (console.membership(session_digest, studio_id)).user_id;
begin
  return query select t.* from access.revoke_token(revoke_token.studio_id, revoke_token.token_id, person) t;
end
$$;

comment on function console.revoke_token(bytea, uuid, uuid) is
  'Revokes a token in the name of the session''s user.';
