-- Notes that records of the session's studio have just left their list. An earlier note with the
-- same reason is replaced.
create or replace function app.record_removals(resource text, ids uuid[], reason text) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into app.removals (studio_id, resource, id, reason)
  select access.current_studio_id(), record_removals.resource, removed.id, record_removals.reason
  from unnest(record_removals.ids) as removed (id)
  on conflict on constraint removals_pkey do update set removed_at = excluded.removed_at;
end
$$;

comment on function app.record_removals(text, uuid[], text) is 'Notes that records have left their list.';
