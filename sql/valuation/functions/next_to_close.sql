-- The next studio_hash after `after` (null: the first) whose studio has a month to close.
-- Null when there is none.
create or replace function valuation.next_to_close(after integer default null) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  outer_studio text := pg_catalog.current_setting('studio.id', true);
  studio record;
  due integer;
begin
  for studio in
    select s.id, s.studio_hash from app.studios s
    where s.studio_hash > coalesce(after, -2147483647) order by s.studio_hash
  loop
    perform access.enter_studio(studio.id);
    if valuation.month_to_close() is not null then
      due := studio.studio_hash;
      exit;
    end if;
  end loop;
  perform access.enter_studio(nullif(outer_studio, '')::uuid);
  return due;
end
$$;

comment on function valuation.next_to_close(integer) is 'The studio_hash of the next studio that has a month to close.';
