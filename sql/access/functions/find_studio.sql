-- The id of the studio with this id or name (any case). Raises SI404 for none, SI409 for several.
create or replace function access.find_studio(name_or_id text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  matches uuid[];
begin
  select pg_catalog.array_agg(s.id) into matches
  from app.studios s
  where s.id::text = pg_catalog.lower(name_or_id) or pg_catalog.lower(s.name) = pg_catalog.lower(name_or_id);
  if matches is null then
    raise exception 'there is no studio %', pg_catalog.quote_literal(name_or_id) using errcode = 'SI404';
  elsif pg_catalog.cardinality(matches) > 1 then
    raise exception 'several studios are named %', pg_catalog.quote_literal(name_or_id)
      using errcode = 'SI409', hint = 'Give the id: ' || pg_catalog.array_to_string(matches, ', ');
  end if;
  return matches[1];
end
$$;

comment on function access.find_studio(text) is 'The id of the studio with this id or name.';
