-- A studio's audit log, newest first, 100 entries at a time, for owners and admins. An entry about
-- an import has null in the token's columns, and its summary in import.
--   before  the id of the previous page's last entry; null for the newest
-- Raises what console.administrator raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid, before bigint default null)
returns table (
  id bigint, at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text,
  scope_name text, member_name text, detail text, import jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, list_audit_log.studio_id);
  return query
    select l.id, l.at::timestamptz, l.event, access.display_name(actor, acting), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped, scoping), access.display_name(subject, concerned), l.detail, l.import
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.members acting on acting.studio_id = l.studio_id and acting.user_id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    left join access.members scoping on scoping.studio_id = l.studio_id and scoping.user_id = l.scope_user_id
    left join access.users subject on subject.id = l.member_user_id
    left join access.members concerned on concerned.studio_id = l.studio_id and concerned.user_id = l.member_user_id
    where l.studio_id = list_audit_log.studio_id and (before is null or l.id < before)
    order by l.id desc
    limit 100;
end
$$;

comment on function console.list_audit_log(bytea, uuid, bigint) is
  'A studio''s audit log, newest first, for its owners and admins.';
