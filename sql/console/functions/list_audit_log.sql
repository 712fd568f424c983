-- The newest 200 entries of a studio's audit log, for owners and admins.
-- Raises what console.manager raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid) returns table (
  at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text, scope_name text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_audit_log.studio_id);
  return query
    select l.at::timestamptz, l.event, access.display_name(actor), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped)
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    where l.studio_id = list_audit_log.studio_id
    order by l.id desc
    limit 200;
end
$$;

comment on function console.list_audit_log(bytea, uuid) is
  'The newest entries of a studio''s audit log, for its owners and admins.';
