-- Archives a studio, or restores it, in the name of an owner, and records that in the audit log. An
-- archived studio has no plan, so the API, GraphQL and the console are off; its data, members and
-- tokens stay. A studio that is archived already stays as it is. Open sessions of its analysts see
-- nothing from then on; the administrator stops their logins (access.lock_analyst).
-- Raises SI404 (a studio without a subscription), and what access.may_manage() raises: a removal
-- cannot be undone.
create or replace function access.archive_studio(studio_id uuid, archived boolean, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  was boolean;
begin
  perform access.may_manage(archive_studio.studio_id, archive_studio.done_by, true);
  select s.archived_at is not null into was
  from access.subscriptions s where s.studio_id = archive_studio.studio_id for no key update;
  if was is null then
    raise exception 'the studio has no subscription' using errcode = 'SI404';
  elsif was = archived then
    return;
  end if;
  update access.subscriptions s set archived_at = case when archived then pg_catalog.now() end
  where s.studio_id = archive_studio.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id)
  values (archive_studio.studio_id, case when archived then 'studio.archived' else 'studio.restored' end, archive_studio.done_by);
end
$$;

comment on function access.archive_studio(uuid, boolean, uuid) is
  'Takes a studio out of use, or brings it back, in the name of an owner.';
