--! Previous: sha1:00bc7e51ccfdf2e6cf386b820c335aebe8c0f680
--! Hash: sha1:350df08bb2c8eeb136c312ea6d91af7bc2ad2dbe
--! Message: show the plan in the console

-- The console shows owners and admins the plan of their studio.
set local role studio_owner;

--! Included console/functions/read_plan.sql
-- The plan of a studio at this moment, for its owners and admins, whether or not its public API is on. One row, also for a
-- studio without a plan: then everything but public_api and includes_api is null.
--   period_start, period_end  of the period at this moment; see access.current_period
--   renews                    month or year; null: the period is what was set
--   public_api                whether the public API is on for the studio
--   includes_api              whether the plan includes the API now; requests are served when both are true
-- Raises what console.administrator raises.
create or replace function console.read_plan(session_digest bytea, studio_id uuid) returns table (
  plan text, status text, trial_ends_at timestamptz, period_start timestamptz, period_end timestamptz, renews text,
  public_api boolean, includes_api boolean
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  perform console.administrator(session_digest, read_plan.studio_id);
  return query
    select s.plan, s.status, s.trial_ends_at, p.period_start, p.period_end, s.renews,
      coalesce(s.public_api, false), access.entitled_plan(s) is not null
    from app.studios studio
    left join access.subscriptions s on s.studio_id = studio.id
    left join lateral access.current_period(s, studio.timezone) as p on true
    where studio.id = read_plan.studio_id;
end
$$;

comment on function console.read_plan(bytea, uuid) is 'The plan of a studio, for its owners and admins.';
--! EndIncluded console/functions/read_plan.sql
--! Included grants/studio_console.sql
-- The console's pool: the functions of schema console. All but those for coming and going ask for the session of a signed-in
-- user and decide by that user's membership. No table, no view, nothing else.

grant execute on function
  console.sign_in, console.sign_out, console.use_once, console.list_studios, console.list_tokens, console.list_members,
  console.admit_member, console.change_role, console.dismiss_member, console.read_plan,
  console.token_activity, console.issue_token, console.revoke_token, console.list_audit_log,
  console.keep_upload, console.read_upload
  to studio_console;
--! EndIncluded grants/studio_console.sql

reset role;
