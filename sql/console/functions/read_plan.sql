-- The plan of a studio at this moment, for its owners and admins, whether or not its public API is
-- on. Returns one row even for a studio without a plan. Then everything but public_api and
-- includes_api is null.
--   period_start, period_end  of the period at this moment; see access.current_period
--   renews                    month or year; null: the period is what was set
--   public_api                whether the public API is on for the studio
--   includes_api              whether the plan includes the API now; requests are served when both
--                             are true
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
