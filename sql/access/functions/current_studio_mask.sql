-- The studio that this session may see, in the form that policies compare at no cost: an array
-- whose only element, true, has the studio's studio_hash as its subscript. Without a studio it is
-- null, and so is each of its elements.
create or replace function access.current_studio_mask() returns boolean[]
language plpgsql stable security definer parallel safe
set search_path = ''
as $$
declare
  studio uuid := access.current_studio_id();
begin
  if studio is null then
    return null;
  end if;
  return pg_catalog.array_fill(true, array[1], array[pg_catalog.uuid_hash(studio) >> 1]);
end
$$;

comment on function access.current_studio_mask() is
  'The session''s studio as an array: true at the subscript that is its studio_hash; null when there is none.';
