--! Previous: sha1:3dbdc5f12c4eff0dc36d8a451cdc32a726e22e73
--! Hash: sha1:31d014102037aee1dc86355d72554ef96813c5ac
--! Message: fold e-mails as ASCII

-- E-mails are compared by ASCII letters in any case and by everything else as it stands. lower() without a collation folds as
-- the locale of the database does: KELVIN SIGN becomes k, and its address was somebody else's.

set local role studio_owner;

drop index if exists access.users_email_any_case;
create unique index users_email_any_case on access.users (lower(email collate "C"));

--! Included access/functions/find_user.sql
-- The id of the user with this e-mail. Raises SI404 when there is none. Here and wherever an e-mail is looked for the case
-- of ASCII letters does not matter and everything else does (collate "C"): other letters may become ASCII when the locale
-- folds their case, and would then be somebody else's.
create or replace function access.find_user(email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  person uuid;
begin
  select u.id into person from access.users u
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(find_user.email collate "C");
  if person is null then
    raise exception 'there is no user with the e-mail %', pg_catalog.quote_literal(find_user.email) using errcode = 'SI404';
  end if;
  return person;
end
$$;

comment on function access.find_user(text) is 'The id of the user with this e-mail.';
--! EndIncluded access/functions/find_user.sql
--! Included access/functions/add_member.sql
-- Makes somebody a member of a studio (a new user when the e-mail is new), or changes the role of a member.
-- Returns the user's id. role: owner, admin or member.
create or replace function access.add_member(studio_id uuid, email text, name text, role text) returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid;
begin
  insert into access.users as u (email, name) values (add_member.email, coalesce(add_member.name, ''))
  on conflict (lower(email collate "C")) do update set email = u.email
  returning u.id into person;

  insert into access.members (studio_id, user_id, role)
  values (add_member.studio_id, person, add_member.role)
  on conflict (studio_id, user_id) do update set role = excluded.role;
  return person;
end
$$;

comment on function access.add_member(uuid, text, text, text) is
  'Makes somebody a member of a studio, or changes a member''s role; returns the user''s id.';
--! EndIncluded access/functions/add_member.sql
--! Included access/functions/open_analyst_session.sql
-- Judges an analyst whose identity was verified outside, and opens the studio's session for the rest of the transaction:
-- the membership and the plan, both at this moment, so that a removed member reads nothing from the next request on.
-- The person is named by user id, else by e-mail (ASCII in any case); a session without a person is refused. status 401: no
-- current member of the studio. 403: the plan includes no access. 200: the session is open.
-- spec: "Results are scoped to the studio that the token's effective user belongs to. A caller never sees another
-- studio's data."
create or replace function access.open_analyst_session(studio_id uuid, user_id uuid, email text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select case when access.entitled_plan(s) is null then 403 else 200 end, access.entitled_plan(s)
  into answer.status, answer.plan_tier
  from access.members m
  join access.users u on u.id = m.user_id
  left join access.subscriptions s on s.studio_id = m.studio_id
  where m.studio_id = open_analyst_session.studio_id
    and case
      when open_analyst_session.user_id is not null then u.id = open_analyst_session.user_id
      else pg_catalog.lower(u.email collate "C") = pg_catalog.lower(open_analyst_session.email collate "C")
    end;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', open_analyst_session.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_analyst_session(uuid, uuid, text) is
  'Judges an analyst by studio and person and opens the studio''s session: status 200, 401 or 403.';
--! EndIncluded access/functions/open_analyst_session.sql
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
  where pg_catalog.lower(u.email collate "C") = pg_catalog.lower(sign_in.email collate "C");
  if person is null then
    raise exception 'nobody here has this e-mail' using errcode = 'SI404';
  end if;
  insert into access.console_sessions (digest, user_id, expires_at) values (session_digest, person, expires);
end
$$;

comment on function console.sign_in(text, bytea, timestamptz, bytea, timestamptz) is
  'Opens a console session for a user that a trusted issuer has vouched for.';
--! EndIncluded console/functions/sign_in.sql

reset role;
