-- Issues a token. The caller makes the secret and hands over digests alone, so that the secret
-- never reaches the server: sha256 of 'svc_pro_<secret>' and of 'svc_studio_<secret>'; the plan at
-- this moment picks the one that counts.
--   issued_by       must be an owner or admin of the studio now
--   scope_user_id   null, or a current member; its row stays locked until the end of the
--                   transaction
--   expires_at      from when on the token is refused; null: never
--   addresses       the networks that its requests may come from, 1 to 50; null: any
--   secret_prefix   the first four characters of the secret, for display
-- Raises 22023 (name, addresses), 22008 (expires_at), 42501 (issuer), SI402 (plan), SI404 (scope
-- target). Writes the audit log in the same transaction.
-- spec: "Issuer is an owner or admin on a plan that allows creation; scope target, if given, is a
-- current studio member".
create or replace function access.issue_token(
  studio_id uuid, issued_by uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea,
  expires_at timestamptz default null, addresses cidr[] default null
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
  if not access.is_plain(issue_token.name) then
    raise exception 'the name of a token is one line, without marks of direction' using errcode = '22023';
  end if;

  if issue_token.expires_at <= access.clock() then
    raise exception 'the end of a token must be in the future' using errcode = '22008';
  end if;
  if pg_catalog.cardinality(issue_token.addresses) not between 1 and 50
    or pg_catalog.array_position(issue_token.addresses, null) is not null
  then
    raise exception 'a token can be limited to 1 to 50 addresses' using errcode = '22023';
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

  insert into access.tokens as t (studio_id, name, tier, prefix, digest, issued_by, scope_user_id, expires_at, addresses)
  select
    issue_token.studio_id, issue_token.name, chosen.tier, 'svc_' || chosen.tier || '_' || secret_prefix,
    chosen.digest, issue_token.issued_by, issue_token.scope_user_id, issue_token.expires_at, issue_token.addresses
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

comment on function access.issue_token(uuid, uuid, text, uuid, text, bytea, bytea, timestamptz, cidr[]) is
  'Issues a token for a studio and records it in the audit log; only digests of the secret are handed over.';
