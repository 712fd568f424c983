-- Renames a studio in the name of an owner or admin, and records the old name in the audit log.
-- Raises 22023 (name), and what access.may_manage() raises.
create or replace function access.rename_studio(studio_id uuid, name text, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
begin
  if coalesce(rename_studio.name, '') !~ '\S' or pg_catalog.char_length(rename_studio.name) > 200 then
    raise exception 'a studio needs a name of 1 to 200 characters' using errcode = '22023';
  end if;
  perform access.may_manage(rename_studio.studio_id, rename_studio.done_by, false);
  select s.name into former from app.studios s where s.id = rename_studio.studio_id for no key update;
  if former = rename_studio.name then
    return;
  end if;
  update app.studios s set name = rename_studio.name where s.id = rename_studio.studio_id;
  insert into access.audit_log (studio_id, event, actor_user_id, detail)
  values (rename_studio.studio_id, 'studio.renamed', rename_studio.done_by, former);
end
$$;

comment on function access.rename_studio(uuid, text, uuid) is 'Gives a studio another name in the name of an owner or admin.';
