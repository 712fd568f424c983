-- Has every client read everything again: a request for removals since an earlier moment gets a 410. For a
-- database that continues another history than the one that clients have seen (a restore, a failover), in which removals
-- may be missing. Clocks of two servers may differ by ten seconds. Versions of answers move, so that none is taken for one
-- of the other history.
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
