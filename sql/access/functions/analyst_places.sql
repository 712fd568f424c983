-- How many sessions analysts may have at a time: half of the server's connections together, so that
-- the service always gets one, and a studio a quarter of that, but not less than four.
create or replace function access.analyst_places(out all_studios integer, out one_studio integer)
language sql stable security invoker
set search_path = ''
begin atomic
  select m.most, greatest(m.most / 4, least(m.most, 4))
  from (select pg_catalog.current_setting('max_connections')::integer / 2 as most) as m;
end;

comment on function access.analyst_places() is 'How many sessions all analysts may have at a time, and those of one studio.';
