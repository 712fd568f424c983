-- Forgets those of the former members of a studio who are a member of no studio now: they are removed, or keep their id alone when a
-- log still names them. Whom the studio's audit log names was a member once, too.
create or replace function access.forget_people(studio_id uuid, former uuid[]) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid;
begin
  for person in
    select u.id from access.users u
    where (
      u.id = any (former)
      or u.id in (select unnest(array[l.actor_user_id, l.member_user_id, l.scope_user_id])
                  from access.audit_log l where l.studio_id = studio_id)
      or u.id in (select l.user_id from access.analyst_log l where l.studio_id = studio_id))
      and not exists (select from access.members m where m.user_id = u.id)
    order by u.id for update
  loop
    delete from access.console_sessions s where s.user_id = person;
    delete from access.console_uploads u where u.user_id = person;
    begin
      delete from access.users u where u.id = person;
    exception when foreign_key_violation then
      update access.users u set email = person || '@removed.invalid', name = '' where u.id = person;
    end;
  end loop;
end
$$;

comment on function access.forget_people(uuid, uuid[]) is
  'Forgets the former members of a studio who are a member of no other one.';
