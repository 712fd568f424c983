-- The place of the next studio that has a month to close; null when there is none after that place (null: from the first). A
-- place is the studio's studio_hash, as in valuation.next_due().
create or replace function valuation.next_to_close(after integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  found_at integer;
begin
  for studio in
    select s.id, s.studio_hash as place from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if valuation.month_to_close() is not null then
      found_at := studio.place;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return found_at;
end
$$;

comment on function valuation.next_to_close(integer) is 'The place of the next studio that has a month to close.';
