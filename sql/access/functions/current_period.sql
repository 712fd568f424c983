-- The billing period of a subscription now: the one that was set, until it has passed; then, for an
-- active one that renews, the period of the same length that contains today. It changes at midnight
-- on the studio's calendar together with the version of the studio's answers, so that no cached
-- answer has an old period.
--   timezone  of the studio
-- spec: GET /account, "current billing period".
create or replace function access.current_period(subscription access.subscriptions, timezone text)
returns table (period_start timestamptz, period_end timestamptz)
language plpgsql stable security invoker rows 1
set search_path = ''
as $$
declare
  today date := (access.clock() at time zone timezone)::date;
  first_day date := (subscription.current_period_start at time zone timezone)::date;
  step integer := case subscription.renews when 'year' then 12 else 1 end;
  months integer;
begin
  period_start := subscription.current_period_start;
  period_end := subscription.current_period_end;
  if subscription.status = 'active' and subscription.renews is not null
    and today >= (period_end at time zone timezone)::date
  then
    months := 12 * (extract(year from today) - extract(year from first_day))::integer
      + (extract(month from today) - extract(month from first_day))::integer;
    if (first_day + pg_catalog.make_interval(months => months))::date > today then
      months := months - 1;
    end if;
    months := months - months % step;
    period_start := access.first_moment((first_day + pg_catalog.make_interval(months => months))::date, timezone);
    period_end := access.first_moment((first_day + pg_catalog.make_interval(months => months + step))::date, timezone);
  end if;
  return next;
end
$$;

comment on function access.current_period(access.subscriptions, text) is
  'The billing period of a subscription at this moment.';
