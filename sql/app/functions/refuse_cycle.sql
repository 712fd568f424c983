-- Trigger of app.locations: no location is its own ancestor. Walks from the written locations to
-- the top and locks each one on the way, so that nobody can move it until the transaction ends. If
-- two transactions would make a cycle together, one is refused or ends in a deadlock. Raises 23514.
create or replace function app.refuse_cycle() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  starts uuid[];
  places uuid[];
  levels integer := 0;
begin
  if tg_op = 'INSERT' then
    select pg_catalog.array_agg(c.id), pg_catalog.array_agg(c.parent_id) into starts, places
    from changed c where c.parent_id is not null;
  else -- This is no join: app.bump_data_version() says why.
    select pg_catalog.array_agg(m.id), pg_catalog.array_agg(m.parent_id) into starts, places
    from (select c.id, c.parent_id from changed c where c.parent_id is not null
      except select b.id, b.parent_id from before b) as m;
  end if;
  while starts is not null loop
    levels := levels + 1;
    if levels > 100 or exists (select from unnest(starts, places) as walked (start, place) where start = place) then
      raise exception 'a location cannot be inside itself' using errcode = '23514', constraint = 'locations_no_cycle',
        hint = 'Its parent is one of the locations that it contains, or there are more than 100 levels.';
    end if;
    perform from app.locations l
    where l.studio_id = access.current_studio_id() and l.id = any (places) order by l.id for share;
    select pg_catalog.array_agg(walked.start), pg_catalog.array_agg(l.parent_id) into starts, places
    from unnest(starts, places) as walked (start, place)
    join app.locations l on l.studio_id = access.current_studio_id() and l.id = walked.place
    where l.parent_id is not null;
  end loop;
  return null;
end
$$;

comment on function app.refuse_cycle() is 'Trigger of app.locations: no location is its own ancestor.';
