-- Forgets the people of a studio that was just removed: its former members, and those in its logs.
-- Deletes them, or keeps only the id of a person whom a log still names. A member of another
-- studio, or a person in its logs, keeps the e-mail, by which those logs show them, unless that
-- studio is removed, too.
create or replace function access.forget_people(studio_id uuid, former uuid[]) returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  person uuid;
begin
  for person in
    with named as materialized (
      select l.studio_id, p.id
      from access.audit_log l cross join lateral (values (l.actor_user_id), (l.member_user_id), (l.scope_user_id)) as p (id)
      where p.id is not null
      union
      select l.studio_id, l.user_id from access.analyst_log l where l.user_id is not null)
    select u.id from access.users u
    where (u.id = any (former) or u.id in (select n.id from named n where n.studio_id = forget_people.studio_id))
      and not exists (select from named n join app.studios s on s.id = n.studio_id where n.id = u.id)
    order by u.id for update of u
  loop
    -- Reads again after it has locked the person. Another studio may have added them until then,
    -- and cannot do so any more.
    continue when exists (select from access.members m where m.user_id = person);
    delete from access.console_sessions s where s.user_id = person;
    delete from access.console_uploads u where u.user_id = person;
    begin
      delete from access.users u where u.id = person;
    exception when foreign_key_violation then
      update access.users u set email = person || '@removed.invalid' where u.id = person;
    end;
  end loop;
end
$$;

comment on function access.forget_people(uuid, uuid[]) is
  'Forgets the people of a removed studio whom no other one knows.';
