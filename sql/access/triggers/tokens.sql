-- The trigger of access.tokens: while a move has stopped the writes of a studio, its tokens stay as they are. Their use is recorded
-- meanwhile.
create or replace trigger a_accept before insert or delete or update of studio_id, name, tier, prefix, digest, issued_by, scope_user_id,
  created_at, revoked_at, revoked_by, expires_at, addresses on access.tokens
  for each row execute function access.require_writable_studio('studio_id');
