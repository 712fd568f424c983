-- Begins the removal of a studio in the name of an owner, and records it in the audit log, which
-- stays. After the commit, the API, GraphQL and the console show nothing of the studio, and nobody
-- can restore it. The caller then drops its analysts' logins, and access.remove_rows() does the
-- rest. A second call changes nothing, even at the same time. Raises 42501 for anybody but an
-- owner.
create or replace function access.begin_removal(studio_id uuid, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- access.may_manage() has taken the lock. So a session that waited for it sees the other's
  -- removal.
  perform from access.members m
  where m.studio_id = begin_removal.studio_id and m.role = 'owner' order by m.user_id for no key update;
  if exists (select from app.studios s where s.id = begin_removal.studio_id and s.removed_at is not null) then
    return;
  end if;
  perform access.may_manage(begin_removal.studio_id, begin_removal.done_by, true);
  update access.subscriptions s set archived_at = coalesce(s.archived_at, pg_catalog.now())
  where s.studio_id = begin_removal.studio_id;
  update app.studios s set removed_at = pg_catalog.now() where s.id = begin_removal.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id)
  values (begin_removal.studio_id, 'studio.removed', begin_removal.done_by);
end
$$;

comment on function access.begin_removal(uuid, uuid) is 'Begins the removal of a studio in the name of an owner.';
