-- Issues a token for a studio in the name of the session's user; see access.issue_token, which
-- checks role, plan and scope.
--   last_day  the last day, on the studio's calendar, on which the token works; null: every day
-- Raises what console.membership and access.issue_token raise.
create or replace function console.issue_token(
  session_digest bytea, studio_id uuid, name text, scope_user_id uuid,
  secret_prefix text, pro_digest bytea, studio_digest bytea, last_day date default null, addresses cidr[] default null
) returns table (token_id uuid, tier text, prefix text, created_at timestamptz)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  person uuid := (console.membership(session_digest, studio_id)).user_id;
begin
  return query select t.* from access.issue_token(
    issue_token.studio_id, person, issue_token.name, issue_token.scope_user_id,
    issue_token.secret_prefix, issue_token.pro_digest, issue_token.studio_digest,
    access.end_of_day(issue_token.studio_id, issue_token.last_day), issue_token.addresses) t;
end
$$;

comment on function console.issue_token(bytea, uuid, text, uuid, text, bytea, bytea, date, cidr[]) is
  'Issues a token for a studio in the name of the session''s user.';
