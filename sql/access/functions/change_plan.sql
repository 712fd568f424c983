-- Trigger of access.subscriptions: a plan that shows other locations removes locations from their
-- list, or brings them back with a new updated_at.
create or replace function access.change_plan() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  location_ids uuid[];
begin
  if tg_op = 'UPDATE' and (old.plan = 'studio') = (new.plan = 'studio') then
    return null;
  end if;
  perform access.enter_studio(new.studio_id);
  select pg_catalog.array_agg(l.id) into location_ids
  from app.locations l where l.studio_id = new.studio_id and not l.is_default;
  if location_ids is not null then
    if new.plan = 'studio' then
      perform app.clear_removals('location', location_ids);
      update app.locations l set updated_at = l.updated_at + interval '1 millisecond'
      where l.studio_id = new.studio_id and l.id = any (location_ids);
    else
      perform app.record_removals('location', location_ids, 'not_in_plan');
    end if;
  end if;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return null;
end
$$;

comment on function access.change_plan() is
  'Trigger of access.subscriptions: removes the locations that a plan does not show, and brings them back.';
