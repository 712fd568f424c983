--! Previous: sha1:f0261212f7806314c6584fff81b46f0a6666f966
--! Hash: sha1:6f99998d817a7e71bdc3a249e13439e26b0a7f54
--! Message: console

-- The console: sessions of signed-in people, what its pages may ask, and the public API as a feature of a studio.

--! Included schemas.sql
-- The schemas and who may name what is in them. Run as the administrator.

create schema if not exists app authorization studio_owner;
create schema if not exists access authorization studio_owner;
create schema if not exists valuation authorization studio_owner;
create schema if not exists console authorization studio_owner;
create schema if not exists api_v1 authorization studio_owner;
create schema if not exists audit authorization studio_owner;

comment on schema app is 'The tables: a studio''s equipment, maintenance, insurance and valuation.';
comment on schema access is 'Who may come in and as whom: people, plans, tokens, activity, audit log.';
comment on schema valuation is 'The rules of valuation: depreciation, value source, coverage state, gap.';
comment on schema console is 'What the console''s pages may ask, each question in the session of a signed-in user.';
comment on schema api_v1 is 'The contract of version 1: views and functions that outsiders may use.';
comment on schema audit is 'Checks on the catalog: one view per rule, zero rows mean sound.';

-- What an outsider may do is granted by name in grants/; nothing is given to everybody.
revoke all on schema public from public;
alter default privileges for role studio_owner revoke execute on functions from public;

grant usage on schema api_v1 to studio_api, studio_graphql, studio_analyst;
grant usage on schema access to studio_api, studio_recorder;
grant usage on schema console to studio_console;
grant usage on schema app to studio_writer;
grant usage on schema access to studio_writer;
grant usage on schema valuation to studio_writer;
grant usage on schema audit to studio_auditor;
--! EndIncluded schemas.sql

set local role studio_owner;

-- A constant default rewrites no row.
alter table access.subscriptions add column public_api boolean not null default true;

create table access.console_sessions (
  digest bytea primary key check (octet_length(digest) = 32), -- sha256 of the secret in the browser's cookie
  user_id uuid not null references access.users,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3) not null
);
create index console_sessions_by_expiry on access.console_sessions (expires_at);
create index console_sessions_by_user on access.console_sessions (user_id);

-- What issuers signed and somebody signed in with, and what was sealed and shown, until it expires by itself.
create table access.console_assertions (
  digest bytea primary key check (octet_length(digest) = 32),
  expires_at timestamptz(3) not null
);
create index console_assertions_by_expiry on access.console_assertions (expires_at);

alter table access.console_sessions enable row level security;
alter table access.console_assertions enable row level security;

-- The token list looks for the entry that issued a token.
create index audit_log_by_token on access.audit_log (studio_id, token_id);

--! Included access/functions/api_plan.sql
-- The plan by which a studio may use the API at this moment; null when the plan includes none or the feature is off.
-- spec: "403 — Valid token, but the studio's plan no longer includes API access"; "the public API is rolling out as a
-- paid-plan feature".
create or replace function access.api_plan(subscription access.subscriptions) returns text
language sql stable security invoker
return case when subscription.public_api then access.entitled_plan(subscription) end;

comment on function access.api_plan(access.subscriptions) is
  'The plan by which a studio may use the API now: pro, pro_insure or studio; null when it may not.';
--! EndIncluded access/functions/api_plan.sql
--! Included access/functions/open_session.sql
-- Judges a token and opens its studio's session for the rest of the transaction: one look-up by the digest of the
-- whole token, the membership of its effective user and the plan, all at this moment. status 401: unknown or revoked,
-- or its effective user is no current member. 403: the plan includes no API access. 200: the session is open.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace function access.open_session(token_digest bytea) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
  studio uuid;
begin
  select t.id, t.studio_id, access.api_plan(s)
  into answer.token_id, studio, answer.plan_tier
  from access.tokens t
  join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
  left join access.subscriptions s on s.studio_id = t.studio_id
  where t.digest = token_digest and t.revoked_at is null;

  if answer.token_id is null then
    answer.status := 401;
  elsif answer.plan_tier is null then
    answer.status := 403;
  else
    answer.status := 200;
    perform pg_catalog.set_config('studio.id', studio::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_session(bytea) is
  'Judges a token by the sha256 digest of its text and opens its studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_session.sql
--! Included access/functions/set_public_api.sql
-- Turns the public API on or off for a studio: off, no token is issued or accepted and the console has no page for them.
-- Raises SI404 for a studio without a subscription.
-- spec: "a tab shown only when the public API feature is enabled".
create or replace function access.set_public_api(studio_id uuid, enabled boolean) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update access.subscriptions s set public_api = set_public_api.enabled where s.studio_id = set_public_api.studio_id;
  if not found then
    raise exception 'the studio has no subscription' using errcode = 'SI404';
  end if;
end
$$;

comment on function access.set_public_api(uuid, boolean) is
  'Turns the public API on or off for a studio; it takes effect with the next request.';
--! EndIncluded access/functions/set_public_api.sql
--! Included access/functions/issue_token.sql
-- Issues a token. The caller makes the secret and hands over digests alone, so that the secret never reaches the
-- server: sha256 of 'svc_pro_<secret>' and of 'svc_studio_<secret>'; the plan at this moment picks the one that counts.
--   issued_by       must be an owner or admin of the studio now
--   scope_user_id   null, or a current member; its row stays locked until the end of the transaction
--   secret_prefix   the first four characters of the secret, for display
-- Raises 22023 (name), 42501 (issuer), SI402 (plan), SI404 (scope target). Writes the audit log in the same transaction.
-- spec: "Issuer is an owner or admin on a plan that allows creation; scope target, if given, is a current studio member".
create or replace function access.issue_token(
  studio_id uuid, issued_by uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  plan text;
  public_api boolean;
  issued access.tokens;
begin
  if coalesce(pg_catalog.char_length(issue_token.name), 0) not between 1 and 100 then
    raise exception 'a token needs a name of 1 to 100 characters' using errcode = '22023';
  end if;
  if issue_token.name !~ '\S' then
    raise exception 'a token needs a name that can be seen' using errcode = '22023';
  end if;

  perform from access.members m
  where m.studio_id = issue_token.studio_id and m.user_id = issue_token.issued_by and m.role in ('owner', 'admin')
  for share;
  if not found then
    raise exception 'only an owner or admin of the studio can create a token' using errcode = '42501';
  end if;

  select access.api_plan(s), s.public_api into plan, public_api
  from access.subscriptions s where s.studio_id = issue_token.studio_id;
  if not public_api then
    raise exception 'the public API is off for this studio' using errcode = 'SI402';
  end if;
  if plan is null then
    raise exception 'the studio''s plan includes no API access'
      using errcode = 'SI402', hint = 'A Pro or Studio plan is needed; a trial is enough.';
  end if;

  if issue_token.scope_user_id is not null then
    perform from access.members m
    where m.studio_id = issue_token.studio_id and m.user_id = issue_token.scope_user_id
    for key share;
    if not found then
      raise exception 'the team member to scope the token to is not a current member of the studio'
        using errcode = 'SI404';
    end if;
  end if;

  insert into access.tokens as t (studio_id, name, tier, prefix, digest, issued_by, scope_user_id)
  select
    issue_token.studio_id, issue_token.name, chosen.tier, 'svc_' || chosen.tier || '_' || secret_prefix,
    chosen.digest, issue_token.issued_by, issue_token.scope_user_id
  from (select
    case plan when 'studio' then 'studio' else 'pro' end as tier,
    case plan when 'studio' then studio_digest else pro_digest end as digest
  ) as chosen
  returning t.* into issued;

  insert into access.audit_log (studio_id, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id)
  values (issued.studio_id, 'token.issued', issued.issued_by, issued.id, issued.name, issued.prefix, issued.scope_user_id);

  return query select issued.id, issued.tier, issued.prefix, issued.created_at::timestamptz;
end
$$;

comment on function access.issue_token(uuid, uuid, text, uuid, text, bytea, bytea) is
  'Issues a token for a studio and records it in the audit log; only digests of the secret are handed over.';
--! EndIncluded access/functions/issue_token.sql
--! Included access/functions/display_name.sql
-- How a person is named where people read it: by name, or by e-mail when none was given. Null for null.
create or replace function access.display_name(person access.users) returns text
language sql immutable security invoker
return coalesce(nullif(person.name, ''), person.email);

comment on function access.display_name(access.users) is 'The name of a person, or the e-mail when there is none.';
--! EndIncluded access/functions/display_name.sql
--! Included access/functions/list_tokens.sql
-- The tokens of a studio, newest first, revoked ones included; never a digest.
--   former_scope_name  the member that a token was scoped to until that member was removed; then it acts as its issuer
--   refused_for_issuer whether requests are refused because the one it acts as is no member any more
drop function if exists access.list_tokens(uuid);
create function access.list_tokens(studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_email text, issued_by_name text, scope_email text, scope_name text,
  former_scope_name text, refused_for_issuer boolean,
  created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language sql stable security definer
set search_path = ''
begin atomic
  select
    t.id, t.name, t.prefix, issuer.email, access.display_name(issuer), scoped.email, access.display_name(scoped),
    access.display_name(former),
    t.revoked_at is null and t.scope_user_id is null and not exists (
      select from access.members m where m.studio_id = t.studio_id and m.user_id = t.issued_by
    ),
    t.created_at, t.last_used_at, t.revoked_at
  from access.tokens t
  join access.users issuer on issuer.id = t.issued_by
  left join access.users scoped on scoped.id = t.scope_user_id
  left join access.audit_log issuance
    on issuance.studio_id = t.studio_id and issuance.token_id = t.id and issuance.event = 'token.issued'
    and t.scope_user_id is null
  left join access.users former on former.id = issuance.scope_user_id
  where t.studio_id = list_tokens.studio_id
  order by t.created_at desc, t.id desc;
end;

comment on function access.list_tokens(uuid) is 'The tokens of a studio, newest first, without their digests.';
--! EndIncluded access/functions/list_tokens.sql
--! Included console/functions/signed_in.sql
-- The user of a console session; the session is named by the sha256 digest of its secret, which stays in the browser.
-- Raises SI401 when there is no such session or it has expired.
create or replace function console.signed_in(session_digest bytea) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select s.user_id into person from access.console_sessions s
  where s.digest = session_digest and s.expires_at > pg_catalog.now();
  if person is null then
    raise exception 'nobody is signed in' using errcode = 'SI401';
  end if;
  return person;
end
$$;

comment on function console.signed_in(bytea) is 'The user of a console session.';
--! EndIncluded console/functions/signed_in.sql
--! Included console/functions/membership.sql
-- The membership by which a session's user may see a studio's tokens, read at this moment.
-- Raises SI401 without a session, and SI404 alike for a studio that does not exist, that the user is no member of, and
-- for which the public API is off.
-- spec: "API tokens settings, a tab shown only when the public API feature is enabled"; "members get a read-only view".
create or replace function console.membership(session_digest bytea, studio_id uuid) returns access.members
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid := console.signed_in(session_digest);
  held access.members;
begin
  select m.* into held from access.members m
  join access.subscriptions s on s.studio_id = m.studio_id and s.public_api
  where m.studio_id = membership.studio_id and m.user_id = person;
  if held.user_id is null then
    raise exception 'there is no such studio' using errcode = 'SI404';
  end if;
  return held;
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
  held access.members := console.membership(session_digest, studio_id);
begin
  if held.role not in ('owner', 'admin') then
    raise exception 'only an owner or admin of the studio may do that' using errcode = '42501';
  end if;
  return held.user_id;
end
$$;

comment on function console.manager(bytea, uuid) is 'The session''s user, who must be an owner or admin of the studio.';
--! EndIncluded console/functions/manager.sql
--! Included console/functions/use_once.sql
-- Takes note that something sealed was used; false when it was used before. It is remembered until it expires by itself.
--   used     sha256 of what was sealed
--   expires  until when it could be used
create or replace function console.use_once(used bytea, expires timestamptz) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from access.console_assertions a where a.expires_at < pg_catalog.now();
  insert into access.console_assertions (digest, expires_at) values (used, expires) on conflict do nothing;
  return found;
end
$$;

comment on function console.use_once(bytea, timestamptz) is
  'Takes note that something sealed was used; false when it was used before.';
--! EndIncluded console/functions/use_once.sql
--! Included console/functions/sign_in.sql
-- Opens a console session for the user with an e-mail that a trusted issuer has vouched for.
--   assertion_digest   sha256 of the bytes that the issuer signed; they open one session only
--   assertion_expires  until when the assertion could be used
--   session_digest     sha256 of the session's secret
-- Raises SI404 for an e-mail of nobody, SI409 for an assertion that was used before.
create or replace function console.sign_in(
  email text, assertion_digest bytea, assertion_expires timestamptz, session_digest bytea, expires timestamptz
) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  delete from access.console_sessions s where s.expires_at < pg_catalog.now();
  if not console.use_once(assertion_digest, assertion_expires) then
    raise exception 'this sign-in was used before' using errcode = 'SI409';
  end if;
  select u.id into person from access.users u
  where pg_catalog.lower(u.email) = pg_catalog.lower(sign_in.email);
  if person is null then
    raise exception 'nobody here has this e-mail' using errcode = 'SI404';
  end if;
  insert into access.console_sessions (digest, user_id, expires_at) values (session_digest, person, expires);
end
$$;

comment on function console.sign_in(text, bytea, timestamptz, bytea, timestamptz) is
  'Opens a console session for a user that a trusted issuer has vouched for.';
--! EndIncluded console/functions/sign_in.sql
--! Included console/functions/sign_out.sql
-- Ends a console session: whoever kept its secret can do nothing with it. Ending none changes nothing.
create or replace function console.sign_out(session_digest bytea) returns void
language sql volatile security definer
set search_path = ''
begin atomic
  delete from access.console_sessions s where s.digest = sign_out.session_digest;
end;

comment on function console.sign_out(bytea) is 'Ends a console session.';
--! EndIncluded console/functions/sign_out.sql
--! Included console/functions/list_studios.sql
-- The studios that a session's user is a current member of, by name, with what the pages about them need.
--   public_api   whether the studio has API tokens at all
--   may_manage   whether the user is an owner or admin
--   plan         the plan by which tokens can be created now; null when there is none
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
      u.id, access.display_name(u), u.email
    from access.console_sessions session
    join access.users u on u.id = session.user_id
    left join access.members m on m.user_id = u.id
    left join app.studios studio on studio.id = m.studio_id
    left join access.subscriptions s on s.studio_id = m.studio_id
    where session.digest = session_digest and session.expires_at > pg_catalog.now()
    order by pg_catalog.lower(studio.name), studio.id;
end
$$;

comment on function console.list_studios(bytea) is
  'The studios of a session''s user; one row with a null studio for somebody who is a member of none.';
--! EndIncluded console/functions/list_studios.sql
--! Included console/functions/list_tokens.sql
-- The tokens of a studio as its members see them, newest first; see access.list_tokens.
-- Raises what console.membership raises.
create or replace function console.list_tokens(session_digest bytea, studio_id uuid) returns table (
  token_id uuid, name text, prefix text, issued_by_name text, scope_name text, former_scope_name text,
  refused_for_issuer boolean, created_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, list_tokens.studio_id);
  return query
    select t.token_id, t.name, t.prefix, t.issued_by_name, t.scope_name, t.former_scope_name, t.refused_for_issuer,
      t.created_at, t.last_used_at, t.revoked_at
    from access.list_tokens(list_tokens.studio_id) t;
end
$$;

comment on function console.list_tokens(bytea, uuid) is 'The tokens of a studio as its members see them.';
--! EndIncluded console/functions/list_tokens.sql
--! Included console/functions/list_members.sql
-- The current members of a studio by name: whom a token can be scoped to. For owners and admins.
-- Raises what console.manager raises.
create or replace function console.list_members(session_digest bytea, studio_id uuid) returns table (
  user_id uuid, name text, email text, role text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_members.studio_id);
  return query
    select u.id, access.display_name(u), u.email, m.role
    from access.members m join access.users u on u.id = m.user_id
    where m.studio_id = list_members.studio_id
    order by pg_catalog.lower(access.display_name(u)), u.email;
end
$$;

comment on function console.list_members(bytea, uuid) is 'The current members of a studio, for its owners and admins.';
--! EndIncluded console/functions/list_members.sql
--! Included console/functions/token_activity.sql
-- The last 100 requests of a token, newest first, for members of its studio; see access.token_activity.
-- Raises what console.membership raises.
create or replace function console.token_activity(session_digest bytea, studio_id uuid, token_id uuid) returns table (
  at timestamptz, endpoint text, status smallint, duration_ms real
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.membership(session_digest, token_activity.studio_id);
  return query select a.* from access.token_activity(token_activity.studio_id, token_activity.token_id) a;
end
$$;

comment on function console.token_activity(bytea, uuid, uuid) is 'The last 100 requests of a token.';
--! EndIncluded console/functions/token_activity.sql
--! Included console/functions/issue_token.sql
-- Issues a token for a studio in the name of the session's user; see access.issue_token, which judges role, plan and scope.
-- Raises what console.manager and access.issue_token raise.
create or replace function console.issue_token(
  session_digest bytea, studio_id uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.manager(session_digest, studio_id);
begin
  return query select t.* from access.issue_token(
    issue_token.studio_id, person, issue_token.name, issue_token.scope_user_id,
    issue_token.secret_prefix, issue_token.pro_digest, issue_token.studio_digest) t;
end
$$;

comment on function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea) is
  'Issues a token for a studio in the name of the session''s user.';
--! EndIncluded console/functions/issue_token.sql
--! Included console/functions/revoke_token.sql
-- Revokes a token in the name of the session's user; idempotent, see access.revoke_token.
-- Raises what console.manager and access.revoke_token raise.
create or replace function console.revoke_token(session_digest bytea, studio_id uuid, token_id uuid)
returns table (id uuid, name text, prefix text, revoked_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := console.manager(session_digest, studio_id);
begin
  return query select t.* from access.revoke_token(revoke_token.studio_id, revoke_token.token_id, person) t;
end
$$;

comment on function console.revoke_token(bytea, uuid, uuid) is
  'Revokes a token in the name of the session''s user.';
--! EndIncluded console/functions/revoke_token.sql
--! Included console/functions/list_audit_log.sql
-- A studio's audit log, newest first, 100 entries at a time, for owners and admins.
--   before  the id of the last entry of the page before; null for the newest
-- Raises what console.manager raises.
create or replace function console.list_audit_log(session_digest bytea, studio_id uuid, before bigint default null)
returns table (
  id bigint, at timestamptz, event text, actor_name text, actor_email text, token_name text, token_prefix text,
  scope_name text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.manager(session_digest, list_audit_log.studio_id);
  return query
    select l.id, l.at::timestamptz, l.event, access.display_name(actor), actor.email, l.token_name, l.token_prefix,
      access.display_name(scoped)
    from access.audit_log l
    join access.users actor on actor.id = l.actor_user_id
    left join access.users scoped on scoped.id = l.scope_user_id
    where l.studio_id = list_audit_log.studio_id and (before is null or l.id < before)
    order by l.id desc
    limit 100;
end
$$;

comment on function console.list_audit_log(bytea, uuid, bigint) is
  'A studio''s audit log, newest first, for its owners and admins.';
--! EndIncluded console/functions/list_audit_log.sql
--! Included grants/studio_console.sql
-- The console's pool: the functions of schema console. All but those for coming and going ask for the session of a signed-in
-- user and decide by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log
  to studio_console;
--! EndIncluded grants/studio_console.sql

reset role;
