-- Begins the removal of a studio, in the name of an owner, and records it in the audit log, which stays. From its commit on nobody
-- reads the studio, and it cannot be brought back; access.remove_rows() does the rest. The logins of its analysts have to be
-- dropped before. Beginning again changes nothing. Raises 42501 (who may), SI409 (a login of an analyst is left).
create or replace function access.begin_removal(studio_id uuid, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform from app.studios s where s.id = begin_removal.studio_id and s.removed_at is not null;
  if found then
    return;
  end if;
  perform access.may_manage(begin_removal.studio_id, begin_removal.done_by, true);
  if exists (select from access.analyst_logins l where l.studio_id = begin_removal.studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
  update access.subscriptions s set archived_at = coalesce(s.archived_at, pg_catalog.now())
  where s.studio_id = begin_removal.studio_id;
  update app.studios s set removed_at = pg_catalog.now() where s.id = begin_removal.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id)
  values (begin_removal.studio_id, 'studio.removed', begin_removal.done_by);
end
$$;

comment on function access.begin_removal(uuid, uuid) is 'Begins the removal of a studio in the name of an owner.';
