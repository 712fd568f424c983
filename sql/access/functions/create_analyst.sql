-- Creates a login of studio_analyst with a random name, and maps it to a studio. Runs with the
-- caller's rights: an administrator's, who may create roles.
--   user_id          whom it is for, a current member of the studio; null when it is for the studio
--                    as such
--   verifier         the SCRAM verifier of its password: the password itself reaches neither the
--                    server nor its log
--   statement_limit  how long a statement may run; a default that the analyst can change, and what
--                    the watchdog goes by
-- Returns the login, and the settings that this administrator may not make (temp_file_limit and
-- those of the log need a superuser, or the right to set them). What the analyst may read is the
-- group's (grants/studio_analyst.sql). Raises 22023 (a value), SI404 (no such studio, no such
-- member), SI409 (the studio is archived or being removed, too many connections).
create or replace function access.create_analyst(
  studio_id uuid, user_id uuid, verifier text, valid_until timestamptz, connections integer, statement_limit interval
) returns table (login name, not_set text[])
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  made name := 'analyst_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 12);
  places record := access.analyst_places();
  taken bigint;
  missing text[] := '{}';
  setting record;
begin
  if verifier !~ '^SCRAM-SHA-256\$\d+:' then
    raise exception 'the password has to be handed over as its SCRAM verifier' using errcode = '22023';
  elsif create_analyst.valid_until is null or create_analyst.valid_until <= pg_catalog.now() then
    raise exception 'valid_until must be in the future' using errcode = '22023';
  elsif connections is null or connections < 1 then
    raise exception 'an analyst''s login needs at least one connection' using errcode = '22023';
  elsif connections > places.one_studio then
    raise exception 'the analysts of one studio may have % sessions at a time, and the login would have %', places.one_studio, connections
      using errcode = '22023', hint = 'Give fewer, or raise max_connections of the server: an eighth of it is for one studio.';
  elsif not exists (select from app.studios s where s.id = create_analyst.studio_id) then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif create_analyst.user_id is not null and not exists (
    select from access.members m where m.studio_id = create_analyst.studio_id and m.user_id = create_analyst.user_id)
  then
    raise exception 'the person the login is for is not a current member of the studio' using errcode = 'SI404';
  end if;

  -- Nobody can archive or remove the studio, or create another login for it, meanwhile.
  perform from access.subscriptions s where s.studio_id = create_analyst.studio_id for share;
  perform from app.studios s where s.id = create_analyst.studio_id for no key update;
  if exists (select from app.studios s where s.id = create_analyst.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  elsif exists (select from access.subscriptions s where s.studio_id = create_analyst.studio_id and s.archived_at is not null) then
    raise exception 'the studio is archived' using errcode = 'SI409', hint = 'Bring it back first.';
  end if;

  -- Between two looks of the watchdog, not even all logins of one studio take the others' half.
  select coalesce(pg_catalog.sum(greatest(r.rolconnlimit, 0)), 0) into taken
  from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
  where l.studio_id = create_analyst.studio_id
    and r.rolcanlogin and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now());
  if taken + connections > places.all_studios then
    raise exception 'the studio''s logins have % of at most % connections', taken, places.all_studios using errcode = 'SI409',
      hint = 'Give fewer, or drop logins that the studio no longer needs.';
  end if;

  execute pg_catalog.format(
    'create role %I login inherit connection limit %s password %L valid until %L', made, connections, verifier,
    create_analyst.valid_until);
  -- It has the group's rights, but cannot SET ROLE to it (before version 16, every member can).
  execute pg_catalog.format('grant studio_analyst to %I%s', made,
    case when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true, set false' else '' end);
  -- Else the watchdog neither sees nor ends its sessions (audit.set_server_rights()).
  if not (pg_catalog.pg_has_role('studio_owner', 'pg_signal_backend', 'USAGE')
    and pg_catalog.pg_has_role('studio_owner', 'pg_read_all_stats', 'USAGE'))
  then
    execute pg_catalog.format('grant %I to studio_owner', made);
  end if;
  insert into access.analyst_logins (login, studio_id, user_id, statement_limit)
  values (made, create_analyst.studio_id, create_analyst.user_id, create_analyst.statement_limit);

  for setting in
    select s.name, s.value from access.analyst_settings(create_analyst.studio_id, create_analyst.statement_limit) as s
  loop
    begin
      execute pg_catalog.format('alter role %I set %I = %L', made, setting.name, setting.value);
    exception when insufficient_privilege then
      missing := missing || setting.name;
    end;
  end loop;
  return query select made, missing;
end
$$;

comment on function access.create_analyst(uuid, uuid, text, timestamptz, integer, interval) is
  'Makes an analyst''s login and maps it to a studio; for administrators.';
