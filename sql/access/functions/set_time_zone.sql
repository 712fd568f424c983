-- Gives a studio and its analysts' logins another time zone, so that current_date is the studio's
-- day. Runs with the rights of its caller, an administrator. Days that were recorded stay: those of
-- closed months and of earlier market values. Returns the logins that this administrator may not
-- change, or an empty array. Raises SI404 when there is no such studio, 22023 for an unknown time
-- zone, and what access.may_manage() raises.
--   timezone  a name of the tz database, such as Europe/Berlin
--   done_by   the owner or admin named in the audit log; null: the studio's first owner
create or replace function access.set_time_zone(studio_id uuid, timezone text, done_by uuid default null) returns name[]
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  analyst name;
  not_set name[] := '{}';
  former text;
  person uuid := coalesce(done_by, access.owner_of(studio_id));
begin
  perform access.may_manage(set_time_zone.studio_id, person, false);
  select s.timezone into former from app.studios s where s.id = set_time_zone.studio_id for no key update;
  update app.studios s set timezone = set_time_zone.timezone where s.id = set_time_zone.studio_id;
  if not found then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  if former <> set_time_zone.timezone then
    insert into access.audit_log (studio_id, event, actor_user_id, detail)
    values (set_time_zone.studio_id, 'studio.time_zone_changed', person, former || ' → ' || set_time_zone.timezone);
  end if;
  for analyst in
    select l.login from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
    where l.studio_id = set_time_zone.studio_id
  loop
    begin
      execute pg_catalog.format('alter role %I set timezone = %L', analyst, set_time_zone.timezone);
    exception when insufficient_privilege then
      not_set := not_set || analyst;
    end;
  end loop;
  return not_set;
end
$$;

comment on function access.set_time_zone(uuid, text, uuid) is
  'Gives a studio and its analysts'' logins another time zone; for administrators.';
