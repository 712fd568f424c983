-- Trigger of app.studios: a new time zone moves the beginnings and ends of policies, and may make
-- one active or inactive at once.
create or replace function app.change_time_zone() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  policy_ids uuid[];
begin
  perform access.enter_studio(new.id);
  -- Reads the policies again once it has the lock. A policy that somebody deleted meanwhile stays
  -- removed.
  with moved as (
    update app.policies p set updated_at = p.updated_at + interval '1 millisecond'
    where p.studio_id = new.id and p.archived_at is null returning p.id)
  select pg_catalog.array_agg(m.id) into policy_ids from moved m;
  if policy_ids is not null then
    perform app.schedule_policies(policy_ids, false);
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function app.change_time_zone() is 'Trigger of app.studios: policies begin and end at other moments.';
