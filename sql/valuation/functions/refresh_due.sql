-- valuation.refresh_studio() for the studio at a place that valuation.next_due() has named. There is none at any other place:
-- nothing is done.
create or replace function valuation.refresh_due(
  place integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = place;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values anew what is due in the studio at a place; returns how many items, and how many of them show a new value.';
