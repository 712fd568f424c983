-- Trigger: records every change of a login's studio, by a command, an administrator, or a member
-- who leaves.
create or replace function access.log_analyst() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' and (tg_op = 'DELETE' or (old.login, old.studio_id) is distinct from (new.login, new.studio_id)) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (old.login, 'unmapped', old.studio_id, old.user_id, session_user);
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT'
    or (old.login, old.studio_id, old.user_id) is distinct from (new.login, new.studio_id, new.user_id)) then
    insert into access.analyst_log (login, event, studio_id, user_id, done_by)
    values (new.login, 'mapped', new.studio_id, new.user_id, session_user);
  end if;
  return null;
end
$$;

comment on function access.log_analyst() is 'Trigger: keeps every change of an analyst''s mapping in access.analyst_log.';
