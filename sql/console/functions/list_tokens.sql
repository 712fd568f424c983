-- The tokens of a studio as its members see them, newest first; see access.list_tokens.
-- Raises what console.membership raises.
create or replace function console.list_tokens(session_digest bytea, studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_name text, scope_name text, former_scope_name text,
  refused_for_issuer boolean, created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  expires_at timestamptz, expired boolean, addresses text[]
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, list_tokens.studio_id);
  return query
    select t.token_id, t.name, t.prefix, t.issued_by_name, t.scope_name, t.former_scope_name, t.refused_for_issuer,
      t.created_at, t.last_used_at, t.revoked_at, t.expires_at, t.expired, t.addresses
    from access.list_tokens(list_tokens.studio_id) t;
end
$$;

comment on function console.list_tokens(bytea, uuid) is 'The tokens of a studio as its members see them.';
