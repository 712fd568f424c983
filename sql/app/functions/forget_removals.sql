-- Makes every client read everything again: an earlier updated_since gets 410. For a database with
-- another history than clients have seen (after a restore or failover), in which removals may be
-- missing. Allows the clocks of two servers to differ by ten seconds. Moves the versions of
-- answers, so that none matches the other history.
create or replace function app.forget_removals(history text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update app.sync_state s
  set history = forget_removals.history,
      removals_since = case when s.history is null then s.removals_since else app.stamp() + interval '10 seconds' end;
  perform app.add_data_version(array(select s.id from app.studios s order by s.id));
end
$$;

comment on function app.forget_removals(text) is 'Has every client read everything again, after a restore or a failover.';
