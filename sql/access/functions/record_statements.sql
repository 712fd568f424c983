-- Records what analysts' sessions ask at this moment, and last asked: a row for each login and
-- statement, however often it is executed. A statement that begins and ends between two calls stays
-- unseen, unless it was its session's last. Keeps the newest 1,000 statements of a login, for 90
-- days (access.purge_activity()), each with the beginning that the server shows
-- (track_activity_query_size) and without the values of parameters. So what a login can make the
-- database store has a limit. Called by the watchdog.
create or replace function access.record_statements() returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  growing name[];
begin
  with seen as (
    insert into access.analyst_statements as t (login, query_id, studio_id, text, first_at, last_at)
    -- The server has a number of its own unless it may not compute one (compute_query_id).
    select distinct on (s.login, n.query_id)
      s.login, n.query_id, s.studio_id, s.query, s.query_start, s.query_start
    from access.analyst_sessions s
    cross join lateral (select coalesce(s.query_id, pg_catalog.hashtextextended(s.query, 0)) as query_id) as n
    where s.studio_id is not null and not s.elsewhere and s.query <> ''
    order by s.login, n.query_id, s.query_start desc
    on conflict (login, query_id) do update
      set last_at = excluded.last_at, times = t.times + 1 where t.last_at < excluded.last_at
    returning t.login, t.times
  )
  select pg_catalog.array_agg(distinct s.login) filter (where s.times = 1) into growing from seen s;

  delete from access.analyst_statements t
  using (
    select g.login, (
      select o.last_at from access.analyst_statements o
      where o.login = g.login order by o.last_at desc offset 1000 limit 1) as last_at
    from pg_catalog.unnest(growing) as g (login)
  ) as oldest
  where t.login = oldest.login and t.last_at <= oldest.last_at;
end
$$;

comment on function access.record_statements() is 'Records what analysts ask, each statement of a login once.';
