-- Trigger of app.locations: notes the locations that left the list in this statement (deleted, or
-- no longer the default on a plan with one location), and forgets those that came back.
-- app.hold_plan() keeps the plan meanwhile.
create or replace function app.remove_locations() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  shows_all boolean;
  gone uuid[];
  back uuid[];
begin
  if tg_op = 'UPDATE' then
    -- This is no join: app.bump_data_version() says why.
    if not exists (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) then
      return null;
    end if;
  end if;
  shows_all := app.shows_all_locations(access.current_studio_id());
  if tg_op = 'DELETE' then
    select pg_catalog.array_agg(b.id) into gone from before b where shows_all or b.is_default;
  elsif tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id) into back from changed c
    where exists (
      select from app.removals r where r.studio_id = c.studio_id and r.resource = 'location' and r.id = c.id);
  elsif not shows_all then
    select
      pg_catalog.array_agg(m.id) filter (where not m.is_default),
      pg_catalog.array_agg(m.id) filter (where m.is_default)
    into gone, back
    from (select c.id, c.is_default from changed c except select b.id, b.is_default from before b) as m;
  end if;
  if gone is not null then
    perform app.record_removals('location', gone, case tg_op when 'DELETE' then 'deleted' else 'not_in_plan' end);
  end if;
  if back is not null then
    perform app.clear_removals('location', back);
  end if;
  return null;
end
$$;

comment on function app.remove_locations() is 'Trigger of app.locations: notes which locations left the list.';
