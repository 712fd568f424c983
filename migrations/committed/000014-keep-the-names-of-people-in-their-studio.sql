--! Previous: sha1:350df08bb2c8eeb136c312ea6d91af7bc2ad2dbe
--! Hash: sha1:c94c32d775a4cdf88c9109abefef8e4b46b59bc9
--! Message: keep the names of people in their studio

-- A studio names its people itself: the name belongs to the membership, so that no studio learns or changes what another one typed. Removals
-- begin with the check of who may, cannot be undone, and keep the people whom other studios know. Uploads are deleted when they expire.
set local role studio_owner;

--! Included access/functions/may_manage.sql
-- The role of an owner or admin of a studio who manages its members, whose membership stays as it is until the end of the
-- transaction. All who manage one studio do so one after the other, because its owners are locked: each sees what the one before
-- did.
--   to_owner  whether an owner is made, changed or removed: only owners may do that
-- Raises 42501, and SI409 once the studio is being removed.
create or replace function access.may_manage(studio_id uuid, user_id uuid, to_owner boolean) returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  role text;
begin
  perform from access.members m
  where m.studio_id = may_manage.studio_id and m.role = 'owner' order by m.user_id for no key update;
  select m.role into role from access.members m
  where m.studio_id = may_manage.studio_id and m.user_id = may_manage.user_id and m.role in ('owner', 'admin')
  for share;
  if role is null then
    raise exception 'only an owner or admin of the studio can manage its members' using errcode = '42501';
  elsif to_owner and role <> 'owner' then
    raise exception 'only an owner of the studio can make, change or remove an owner' using errcode = '42501';
  elsif exists (select from app.studios s where s.id = may_manage.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return role;
end
$$;

comment on function access.may_manage(uuid, uuid, boolean) is
  'The role of an owner or admin who manages the members of a studio.';
--! EndIncluded access/functions/may_manage.sql
--! Included access/functions/begin_removal.sql
-- Begins the removal of a studio, in the name of an owner, and records it in the audit log, which stays. From its commit on the API,
-- GraphQL and the console answer nothing of the studio, and it cannot be brought back. Then the logins of its analysts are dropped, and
-- access.remove_rows() does the rest. Beginning again, also at the same moment, changes nothing. Raises 42501 (who may).
create or replace function access.begin_removal(studio_id uuid, done_by uuid) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- The lock of access.may_manage(): whoever waited for another removal to begin sees it.
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
--! EndIncluded access/functions/begin_removal.sql
--! Included access/functions/forget_people.sql
-- Forgets the people of a studio that has just been removed: its former members, and those whom its logs name. They are removed, or keep
-- their id alone when a log still names them. Nothing is taken from another studio: who is a member of one now, or is named in the logs of
-- one, keeps the e-mail, by which those logs show them. Of a studio that is removed as well the logs show nobody.
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
    -- Read now that the person is locked: somebody may have been added to a studio until then, and nobody can be after that.
    continue when exists (select from access.members m where m.user_id = person);
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
  'Forgets the people of a removed studio whom no other one knows.';
--! EndIncluded access/functions/forget_people.sql
--! Included access/functions/remove_rows.sql
-- Removes rows of a studio whose removal has begun, about as many as at_most in a transaction; returns their number: call it until it
-- returns 0, when the studio itself is gone. The studio's audit log and the log of its analysts stay; of its people access.forget_people()
-- keeps what other studios need. Raises SI404 before access.begin_removal(), SI409 as long as a login of an analyst is left.
create or replace function access.remove_rows(studio_id uuid, at_most integer default 1000) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  part text;
  removed bigint;
  people uuid[];
begin
  perform from app.studios s where s.id = studio_id and s.removed_at is not null for no key update;
  if not found then
    if exists (select from app.studios s where s.id = studio_id) then
      raise exception 'the removal of the studio has not begun' using errcode = 'SI404';
    end if;
    return 0;
  end if;
  if exists (select from access.analyst_logins l where l.studio_id = studio_id) then
    raise exception 'the studio has logins of analysts' using errcode = 'SI409', hint = 'Drop them first.';
  end if;
  perform access.enter_studio(studio_id);
  foreach part in array array['access.console_uploads', 'app.closed_values', 'app.closings', 'app.market_value_history',
    'app.maintenance_records', 'app.policy_assignments', 'app.items', 'app.policies', 'app.locations', 'app.removals',
    'access.request_activity', 'access.tokens', 'app.item_counts', 'app.maintenance_counts', 'app.count_changes']
  loop
    execute pg_catalog.format(
      'delete from %1$s t where t.studio_id = $1 and t.ctid = any (array(
         select d.ctid from %1$s d where d.studio_id = $1 limit $2))', part)
    using studio_id, at_most;
    get diagnostics removed = row_count;
    exit when removed > 0;
  end loop;

  if removed = 0 then
    delete from app.data_versions d where d.studio_id = studio_id;
    with former as (delete from access.members m where m.studio_id = studio_id returning m.user_id)
    select pg_catalog.array_agg(f.user_id) into people from former f;
    delete from access.subscriptions s where s.studio_id = studio_id;
    delete from app.studios s where s.id = studio_id;
    removed := 1;
    perform access.forget_people(studio_id, people);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return removed;
end
$$;

comment on function access.remove_rows(uuid, integer) is 'Removes rows of a studio whose removal has begun.';
--! EndIncluded access/functions/remove_rows.sql
--! Included access/functions/create_analyst.sql
-- Makes a login of studio_analyst with a name that tells nothing, and maps it to a studio. To be run by an administrator,
-- with whose rights it runs: only those who may create roles can do it.
--   user_id          whom it is for, a current member of the studio; null when it is for the studio as such
--   verifier         the SCRAM verifier of its password: the password itself reaches neither the server nor its log
--   statement_limit  how long a statement may run; a default that the analyst can change, and what the watchdog goes by
-- Returns the login, and the settings that this administrator may not make (temp_file_limit and log_statement need a
-- superuser, or the right to set them). What the analyst may read is the group's (grants/studio_analyst.sql).
-- Raises 22023 (a value), SI404 (no such studio, no such member), SI409 (the studio is archived or being removed, too many connections).
create or replace function access.create_analyst(
  studio_id uuid, user_id uuid, verifier text, valid_until timestamptz, connections integer, statement_limit interval
) returns table (login name, not_set text[])
language plpgsql volatile security invoker
set search_path = ''
as $$
#variable_conflict use_column
declare
  made name := 'analyst_' || pg_catalog.left(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 12);
  most integer := pg_catalog.current_setting('max_connections')::integer / 2;
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
  elsif not exists (select from app.studios s where s.id = create_analyst.studio_id) then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif create_analyst.user_id is not null and not exists (
    select from access.members m where m.studio_id = create_analyst.studio_id and m.user_id = create_analyst.user_id)
  then
    raise exception 'the person the login is for is not a current member of the studio' using errcode = 'SI404';
  end if;

  -- Locked, so that the studio is neither archived nor removed meanwhile.
  perform from access.subscriptions s where s.studio_id = create_analyst.studio_id for share;
  perform from app.studios s where s.id = create_analyst.studio_id for share;
  if exists (select from app.studios s where s.id = create_analyst.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  elsif exists (select from access.subscriptions s where s.studio_id = create_analyst.studio_id and s.archived_at is not null) then
    raise exception 'the studio is archived' using errcode = 'SI409', hint = 'Bring it back first.';
  end if;

  -- So that the service always finds a connection: all analysts together may have half of what there are.
  lock table access.analyst_logins in share row exclusive mode;
  select coalesce(pg_catalog.sum(greatest(r.rolconnlimit, 0)), 0) into taken
  from access.analyst_logins l join pg_catalog.pg_roles r on r.rolname = l.login
  where r.rolcanlogin and (r.rolvaliduntil is null or r.rolvaliduntil > pg_catalog.now());
  if taken + connections > most then
    raise exception 'analysts hold % of the % connections that they may have together', taken, most using errcode = 'SI409',
      hint = 'Give fewer, drop logins that are not needed, or raise max_connections of the server: half of it is for analysts.';
  end if;

  execute pg_catalog.format(
    'create role %I login inherit connection limit %s password %L valid until %L in role studio_analyst',
    made, connections, verifier, create_analyst.valid_until);
  insert into access.analyst_logins (login, studio_id, user_id, statement_limit)
  values (made, create_analyst.studio_id, create_analyst.user_id, create_analyst.statement_limit);

  for setting in
    select s.name, s.value
    from (values
      -- Defaults: convenience for the well-meaning.
      ('search_path', 'api_v1'),
      ('default_transaction_read_only', 'on'),
      ('statement_timeout', pg_catalog.round(extract(epoch from create_analyst.statement_limit) * 1000)::text),
      ('idle_in_transaction_session_timeout', pg_catalog.round(extract(epoch from create_analyst.statement_limit) * 1000)::text),
      -- Out of the analyst's hands.
      ('temp_file_limit', '1GB'),
      ('log_statement', 'all')
    ) as s (name, value)
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
--! EndIncluded access/functions/create_analyst.sql
--! Included access/functions/dismiss_member.sql
-- Removes a member from a studio in the name of an owner or admin, who may be that member, and records it in the audit log.
-- The tokens that act as that member, and have no other member to act as afterwards, are revoked: so they stay refused when that
-- person, or the issuer, is added again. Tokens that another member issued act as their issuers (the foreign key of access.tokens does
-- it); logins of analysts that are for the member end. Returns how many tokens were revoked.
-- Raises SI404 (no such member), SI409 (the last owner), and what access.may_manage() raises.
-- spec: "Scoped member removed from the studio … scope_user_id becomes null; token now acts as its issuer".
create or replace function access.dismiss_member(studio_id uuid, user_id uuid, done_by uuid) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  former text;
  token uuid;
  revoked integer := 0;
begin
  perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, false);
  select m.role into former from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id
  for update;
  if former is null then
    raise exception 'the studio has no such member' using errcode = 'SI404';
  elsif former = 'owner' then
    perform access.may_manage(dismiss_member.studio_id, dismiss_member.done_by, true);
    perform access.keep_an_owner(dismiss_member.studio_id, dismiss_member.user_id);
  end if;

  for token in
    select t.id from access.tokens t
    where t.studio_id = dismiss_member.studio_id and t.revoked_at is null
      and coalesce(t.scope_user_id, t.issued_by) = dismiss_member.user_id
      and not exists (
        select from access.members m
        where m.studio_id = t.studio_id and m.user_id = t.issued_by and m.user_id <> dismiss_member.user_id)
      and (t.expires_at is null or t.expires_at > access.clock())
    order by t.id
  loop
    perform access.revoke_token(dismiss_member.studio_id, token, dismiss_member.done_by);
    revoked := revoked + 1;
  end loop;
  delete from access.members m
  where m.studio_id = dismiss_member.studio_id and m.user_id = dismiss_member.user_id;
  insert into access.audit_log (studio_id, event, actor_user_id, member_user_id, detail)
  values (dismiss_member.studio_id, 'member.removed', dismiss_member.done_by, dismiss_member.user_id, former);
  return revoked;
end
$$;

comment on function access.dismiss_member(uuid, uuid, uuid) is
  'Removes a member from a studio in the name of an owner or admin, and revokes the tokens that act as that member.';
--! EndIncluded access/functions/dismiss_member.sql
--! Included access/functions/revoke_token.sql
-- Revokes a token and records it in the audit log; revoking again succeeds and returns the same record.
-- Raises 42501 when revoked_by is no owner or admin of the studio now, SI404 when the studio has no such token.
-- spec: "Revoke again … Succeeds and returns the existing revoked record (idempotent)."
create or replace function access.revoke_token(studio_id uuid, token_id uuid, revoked_by uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  token access.tokens;
begin
  perform from access.members m
  where m.studio_id = revoke_token.studio_id and m.user_id = revoke_token.revoked_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can revoke a token' using errcode = '42501';
  end if;

  select t.* into token from access.tokens t
  where t.studio_id = revoke_token.studio_id and t.id = revoke_token.token_id
  for no key update;
  if not found then
    raise exception 'the studio has no such token' using errcode = 'SI404';
  end if;

  if token.revoked_at is null then
    update access.tokens t set revoked_at = pg_catalog.clock_timestamp(), revoked_by = revoke_token.revoked_by
    where t.studio_id = token.studio_id and t.id = token.id
    returning t.* into token;
    insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
    values (token.studio_id, 'token.revoked', token.revoked_by, token.id, token.name, token.prefix, token.scope_user_id);
  end if;

  return query select token.id, token.name, token.prefix, token.revoked_at::timestamptz;
end
$$;

comment on function access.revoke_token(uuid, uuid, uuid) is
  'Revokes a token at once and records it in the audit log; idempotent.';
--! EndIncluded access/functions/revoke_token.sql
--! Included access/functions/purge_uploads.sql
-- Deletes the files that nobody imported within their hour (console.keep_upload); returns their number. For a job of the service: it takes
-- nothing, so that whoever runs it chooses nothing.
create or replace function access.purge_uploads() returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  purged bigint;
begin
  delete from access.console_uploads u where u.expires_at < pg_catalog.now();
  get diagnostics purged = row_count;
  return purged;
end
$$;

comment on function access.purge_uploads() is 'Deletes the uploads that have expired.';
--! EndIncluded access/functions/purge_uploads.sql
--! Included console/functions/keep_upload.sql
-- Stores the file that the session's user is about to import, with how it is to be read, for an hour, after which
-- access.purge_uploads() deletes it; it takes the place of their last one for this studio. Nothing is imported.
--   content  the file, at most 10 MiB
--   choices  what the user chose in the form: the kind of file, its name, columns, formats
--   digest   sha256 of content and choices, by which the preview and its confirmation name them
-- Raises what console.administrator raises.
create or replace function console.keep_upload(
  session_digest bytea, studio_id uuid, content bytea, choices jsonb, digest bytea
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid := console.administrator(session_digest, studio_id);
begin
  insert into access.console_uploads as u (studio_id, user_id, content, choices, digest, expires_at)
  values (keep_upload.studio_id, person, keep_upload.content, keep_upload.choices, keep_upload.digest,
    pg_catalog.now() + interval '1 hour')
  on conflict on constraint console_uploads_pkey do update
  set content = excluded.content, choices = excluded.choices, digest = excluded.digest, expires_at = excluded.expires_at;
end
$$;

comment on function console.keep_upload(bytea, uuid, bytea, jsonb, bytea) is
  'Stores the file that the session''s user is about to import, for an hour.';
--! EndIncluded console/functions/keep_upload.sql
--! Included console/functions/membership.sql
-- The membership by which a session's user may see a studio's tokens, read at this moment.
-- Raises SI401 without a session, and SI404 alike for a studio that does not exist, that the user is no member of, and
-- for which the public API is off; and for one that is archived.
-- spec: "API tokens settings, a tab shown only when the public API feature is enabled"; "members get a read-only view".
create or replace function console.membership(session_digest bytea, studio_id uuid) returns access.members
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  member access.members;
begin
  select m.* into member from access.members m
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api and s.archived_at is null
  where m.studio_id = membership.studio_id and m.user_id = person;
  if member.user_id is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  return member;
end
$$;

comment on function console.membership(bytea, uuid) is
  'The membership by which a session''s user may see a studio''s tokens.';
--! EndIncluded console/functions/membership.sql
--! Included console/functions/manager.sql
-- The session's user, who must be an owner or admin of the studio at this moment.
-- Raises what console.membership raises, and 42501 for a member.
-- spec: "Owners and admins can create and revoke tokens; members get a read-only view".
create or replace function console.manager(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  membership access.members := console.membership(session_digest, studio_id);
begin
  if membership.role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return membership.user_id;
end
$$;

comment on function console.manager(bytea, uuid) is 'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/manager.sql
--! Included console/functions/administrator.sql
-- The session's user, who must be an owner or admin of the studio at this moment, whether or not its public API is on: for what
-- is not about tokens. Raises SI401 without a session, SI404 for a studio that the user is no member of, or that is archived or being
-- removed, 42501 for a member.
create or replace function console.administrator(session_digest bytea, studio_id uuid) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.signed_in(session_digest);
  role text;
begin
  select m.role into role from access.members m
  join app.studios studio on studio.id = m.studio_id and studio.removed_at is null
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = administrator.studio_id and m.user_id = person and s.archived_at is null;
  if role is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  elsif role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return person;
end
$$;

comment on function console.administrator(bytea, uuid) is
  'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/administrator.sql
--! Included app/functions/schedule_policies.sql
-- Writes again when policies of the session's studio leave the list of active ones, by the calendar of the studio:
--   archived, expired, not_started  a policy that is not active now has left the list at this moment; one that is not
--                                   started comes back by itself on the day on which it begins (returns_at)
--   expired                         one that is to end leaves it when its last day is over (removed_at, to come), but not before
--                                   a moment that is announced already: a clock that was ahead may have passed that midnight
-- Whatever the clock says later, one that has expired is away when its last day is over (leaves_at), as in api_v1.policies.
-- brand_new: nobody has had these policies in a list, so that they cannot have left one before now.
-- spec: "A policy is active when it is not archived, effective_start is today or earlier, and effective_end (if set) has
-- not passed."
create or replace function app.schedule_policies(policy_ids uuid[], brand_new boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  zone text;
  today date;
  announced timestamptz := (select timestamptz 'epoch' + m.last_value * interval '1 millisecond' from app.announced_moment m);
  known uuid[]; -- of those that are brand new: deleted before, and recorded again with the same id
begin
  select s.timezone into zone from app.studios s where s.id = studio; -- it stays as it is meanwhile (app.hold_time_zone())
  -- Now, and not when the transaction began: midnight may have passed since.
  today := ((access.clock() + (pg_catalog.clock_timestamp() - pg_catalog.now())) at time zone zone)::date;
  if brand_new then
    select pg_catalog.array_agg(r.id) into known from app.removals r
    where r.studio_id = studio and r.resource = 'policy' and r.id = any (policy_ids);
  end if;
  perform app.clear_removals('policy', policy_ids);

  insert into app.removals (studio_id, resource, id, reason, removed_at, leaves_at, returns_at)
  select studio, 'policy', p.id, left_list.reason,
    case when left_list.at is null then app.stamp() else greatest(left_list.at, announced) end,
    case when left_list.reason = 'expired' then access.first_moment(p.effective_end + 1, zone) end, left_list.returns_at
  from app.policies p
  cross join lateral (
    select
      case
        when p.archived_at is not null then 'archived'
        when p.effective_end < today then 'expired'
        else 'not_started'
      end as reason,
      null::timestamptz as at,
      case when p.archived_at is null and p.effective_start > today
        then access.first_moment(p.effective_start, zone) end as returns_at
    where (not brand_new or p.id = any (known)) and (
      p.archived_at is not null or p.effective_start is null or p.effective_start > today or p.effective_end < today)
    union all
    select 'expired', access.first_moment(p.effective_end + 1, zone), null
    where p.archived_at is null and p.effective_end >= today
  ) as left_list
  where p.studio_id = studio and p.id = any (policy_ids);
end
$$;

comment on function app.schedule_policies(uuid[], boolean) is 'Writes again when policies leave the list of active ones.';
--! EndIncluded app/functions/schedule_policies.sql
--! Included valuation/functions/refresh_due.sql
-- valuation.refresh_studio() for the studio whose studio_hash valuation.next_due() has named. Where no studio has it, nothing is
-- done.
create or replace function valuation.refresh_due(
  studio_hash integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = refresh_due.studio_hash;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values again what is due in the studio of a studio_hash; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_due.sql
--! Included valuation/functions/revalue.sql
-- Values items of the session's studio again, as of today, and moves updated_at of those that show a new value. Returns
-- their number. It waits for writers of these items, so that what it projects is what they wrote.
create or replace function valuation.revalue(item_ids uuid[]) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
  moved uuid[];
begin
  perform from app.items i where i.studio_id = studio and i.id = any (item_ids) order by i.id for no key update;
  select pg_catalog.array_agg(p) into moved from valuation.project(item_ids) as p;

  update app.items i
  set coverage_state = v.coverage_state, updated_at = i.updated_at + interval '1 millisecond'
  from app.item_valuations v
  where i.studio_id = studio and i.id = any (moved) and v.studio_id = i.studio_id and v.item_id = i.id;
  return coalesce(pg_catalog.cardinality(moved), 0);
end
$$;

comment on function valuation.revalue(uuid[]) is
  'Values items of the session''s studio again and moves those that show a new value; returns their number.';
--! EndIncluded valuation/functions/revalue.sql
--! Included valuation/functions/refresh_studio.sql
-- The monthly tick of depreciation in one studio: values again what is due, and moves updated_at of what shows a new value.
-- At most so many items, so that a transaction stays short; call it until it values none. Items that somebody is writing to,
-- and a studio that another session refreshes, are left for the next time.
create or replace function valuation.refresh_studio(
  studio_id uuid, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  due uuid[];
begin
  valued := 0;
  moved := 0;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('valuation.refresh ' || refresh_studio.studio_id, 0)) then
    return;
  end if;
  perform access.enter_studio(refresh_studio.studio_id);
  select pg_catalog.array_agg(free.id) into due from (
    select i.id from app.items i
    where i.studio_id = refresh_studio.studio_id
      and i.id = any (array(select valuation.due_items(rebuild_missing, at_most)))
    order by i.id for no key update skip locked) as free;
  if due is not null then
    valued := pg_catalog.cardinality(due);
    moved := valuation.revalue(due);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
end
$$;

comment on function valuation.refresh_studio(uuid, boolean, integer) is
  'Values again what is due in one studio; returns how many items, and how many of them show a new value.';
--! EndIncluded valuation/functions/refresh_studio.sql
--! Included valuation/functions/refresh.sql
-- The refresh of all studios in one transaction, as processes of version 1.0 call it daily while an upgrade goes on. It waits for
-- nobody: what is left is refreshed soon by a process of this version. Returns how many items show a new value.
create or replace function valuation.refresh(rebuild_missing boolean default false) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio_hash integer := valuation.next_due(null, rebuild_missing);
  refreshed record;
  total bigint := 0;
begin
  while studio_hash is not null loop
    loop
      select r.valued, r.moved into refreshed from valuation.refresh_due(studio_hash, rebuild_missing) as r;
      exit when refreshed.valued = 0;
      total := total + refreshed.moved;
    end loop;
    studio_hash := valuation.next_due(studio_hash, rebuild_missing);
  end loop;
  return total;
end
$$;

comment on function valuation.refresh(boolean) is
  'Values again what is due in all studios; for processes of version 1.0, until the next minor version.';
--! EndIncluded valuation/functions/refresh.sql
--! Included grants/studio_recorder.sql
-- Records request activity and last use, through one function; ends what analysts may not do, through another, which
-- leaves no choice to its caller; deletes expired uploads, in the same way; moves the watermark. Nothing else.

grant execute on function
  access.record_activity, access.watch_analysts, access.purge_uploads, access.heartbeat, access.history, access.watermark
  to studio_recorder;
--! EndIncluded grants/studio_recorder.sql

--! Included access/functions/keep_archived.sql
-- Trigger of access.subscriptions: a studio whose removal has begun has no plan again, whoever sets one and by whatever road. Here, and
-- not in access.entitled_plan(), because every request asks for the plan. Raises SI409.
create or replace function access.keep_archived() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.archived_at is null and exists (select from app.studios s where s.id = new.studio_id and s.removed_at is not null) then
    raise exception 'the studio is being removed' using errcode = 'SI409';
  end if;
  return new;
end
$$;

comment on function access.keep_archived() is 'Trigger of access.subscriptions: a studio that is being removed has no plan again.';
--! EndIncluded access/functions/keep_archived.sql
--! Included access/triggers/subscriptions.sql
-- The account shows the plan and its period: the studio's data version moves with them.
create or replace trigger bump after insert or update on access.subscriptions
  for each row execute function app.bump_own_data_version('studio_id');

-- A plan shows all locations, or the default one alone.
create or replace trigger change_plan after insert or update of plan on access.subscriptions
  for each row execute function access.change_plan();

-- A removal is not undone.
create or replace trigger keep_archived before insert or update on access.subscriptions
  for each row execute function access.keep_archived();
--! EndIncluded access/triggers/subscriptions.sql

-- Late, because every request reads the memberships.
alter table access.members
  add column name text not null default '', -- how the studio names the member; empty: by e-mail
  alter column name set statistics 0;

--! Included access/functions/display_name.sql
-- How a studio names a person where its people read it: by the name that this studio typed, else by e-mail. Who is no member (any more)
-- is named by e-mail. Null for null.
--   membership  of the person in this studio; null when there is none
-- What another studio typed is nothing that this one may learn, or change.
create or replace function access.display_name(person access.users, membership access.members) returns text
language sql immutable security invoker
return coalesce(nullif(membership.name, ''), person.email);

comment on function access.display_name(access.users, access.members) is
  'How a studio names a person: by the name that it typed, or by e-mail when there is none.';
--! EndIncluded access/functions/display_name.sql
--! Included access/functions/add_member.sql
-- Makes somebody a member of a studio (a new user when the e-mail is new), or changes the role of a member. Returns the user's id.
--   email  stored in small letters (of ASCII), so that nobody sees how another studio typed it
--   name   how this studio, and no other one, names a new member; empty or null: by e-mail
--   role   owner, admin or member
create or replace function access.add_member(studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  insert into access.users as u (email) values (pg_catalog.lower(add_member.email collate "C"))
  on conflict (lower(email collate "C")) do update set email = u.email
  returning u.id into person;

  insert into access.members (studio_id, user_id, role, name)
  values (add_member.studio_id, person, add_member.role, coalesce(add_member.name, ''))
  on conflict (studio_id, user_id) do update set role = excluded.role;
  return person;
end
$$;

comment on function access.add_member(uuid, text, text, text) is
  'Makes somebody a member of a studio, or changes a member''s role; returns the user''s id.';
--! EndIncluded access/functions/add_member.sql
--! Included access/functions/list_members.sql
-- The members of a studio by name, with what their removal does.
--   own_tokens      working tokens that it revokes: those that act as the member and have no other member to act as afterwards
--   scoped_tokens   working tokens that act as the member, and as their issuers, who are other members, afterwards
--   analyst_logins  logins of analysts that end with it
create or replace function access.list_members(studio_id uuid) returns table (
  user_id uuid, name text, email text, role text, since timestamptz,
  own_tokens bigint, scoped_tokens bigint, analyst_logins bigint
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    u.id, access.display_name(u, m), u.email, m.role, m.created_at::timestamptz,
    tokens.own, tokens.scoped,
    (select pg_catalog.count(*) from access.analyst_logins l where l.studio_id = m.studio_id and l.user_id = m.user_id)
  from access.members m
  join access.users u on u.id = m.user_id
  cross join lateral (
    select
      pg_catalog.count(*) filter (where issuer.user_id is null) as own,
      pg_catalog.count(*) filter (where issuer.user_id is not null) as scoped
    from access.tokens t
    left join access.members issuer
      on issuer.studio_id = t.studio_id and issuer.user_id = t.issued_by and issuer.user_id <> m.user_id
    where t.studio_id = m.studio_id and coalesce(t.scope_user_id, t.issued_by) = m.user_id and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > access.clock())) as tokens
  where m.studio_id = list_members.studio_id
  order by pg_catalog.lower(access.display_name(u, m)), u.email;
end;

comment on function access.list_members(uuid) is 'The members of a studio by name, with what their removal does.';
--! EndIncluded access/functions/list_members.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it acts as its issuer
--   addresses          as they are written: an address without the length of its network
--   refused_for_issuer whether requests are refused because the one it acts as is no member any more
create or replace function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, issued_by_name text, scope_email text, scope_name text,
  former_scope_name text, refused_for_issuer boolean,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz,
  expires_at timestamptz, expired boolean, addresses text[]
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer, issuing), scoped.email,
    access.display_name(scoped, scoping), access.display_name(former, returned),
    t.revoked_at is null and t.scope_user_id is null and issuing.user_id is null,
    t.created_at, t.last_used_at, t.revoked_at,
    t.expires_at, coalesce(t.expires_at <= access.clock(), false), access.address_texts(t.addresses)
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.members issuing on issuing.studio_id = t.studio_id and issuing.user_id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  left join access.members scoping on scoping.studio_id = t.studio_id and scoping.user_id = t.scope_user_id
  left join access.audit_log issuance
    on issuance.studio_id = t.studio_id and issuance.token_id = t.id and issuance.event = 'token.issued'
    and t.scope_user_id is null
  left join access.users former on former.id = issuance.scope_user_id
  left join access.members returned on returned.studio_id = t.studio_id and returned.user_id = issuance.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
--! EndIncluded access/functions/list_tokens.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins.
-- An entry is about a token, or about an import: then the token's columns are null and import says what was imported.
--   before  the id of the last entry of the page before; null for the newest
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
--! EndIncluded console/functions/list_audit_log.sql
--! Included console/functions/list_studios.sql
-- The studios that a session's user is a current member of, by name, with what the pages about them need. Archived ones are left out, and
-- those being removed.
--   public_api   whether the studio has API tokens at all
--   may_manage   whether the user is an owner or admin
--   plan         the plan by which tokens can be created now; null when there is none
--   user_name    how this studio names the user
-- No row without a session: so an unknown cookie costs no failed statement.
create or replace function console.list_studios(session_digest bytea) returns table (
  studio_id uuid, name text, role text, public_api boolean, may_manage boolean, plan text,
  user_id uuid, user_name text, user_email text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select
      studio.id, studio.name, m.role, coalesce(s.public_api, false), m.role in ('owner', 'admin'), access.api_plan(s),
      u.id, access.display_name(u, m), u.email
    from access.console_sessions session
    join access.users u on u.id = session.user_id
    left join (
      access.members m
      join app.studios studio on studio.id = m.studio_id
      left join access.subscriptions s on s.studio_id = m.studio_id
    ) on m.user_id = u.id and s.archived_at is null and studio.removed_at is null
    where session.digest = session_digest and session.expires_at > pg_catalog.now()
    order by pg_catalog.lower(studio.name), studio.id;
end
$$;

comment on function console.list_studios(bytea) is
  'The studios of a session''s user; one row with a null studio for somebody who is a member of none.';
--! EndIncluded console/functions/list_studios.sql
drop function access.display_name(access.users);

-- The capitals of whoever typed an e-mail first were shown in every studio.
update access.users set email = lower(email collate "C") where email <> lower(email collate "C");

-- What its people were shown as until now. Nothing reads or writes access.users.name any more; a later release drops it.
update access.members m set name = u.name from access.users u where u.id = m.user_id and u.name <> '';

reset role;
