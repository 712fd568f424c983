-- Calls valuation.refresh_studio() for the studio whose studio_hash valuation.next_due() returned.
create or replace function valuation.refresh_due(
  studio_hash integer, rebuild_missing boolean default false, at_most integer default 1000, out valued integer, out moved integer
)
language sql volatile security definer
set search_path = ''
begin atomic
  select coalesce(sum(r.valued), 0)::integer, coalesce(sum(r.moved), 0)::integer
  from app.studios s
  cross join lateral valuation.refresh_studio(s.id, rebuild_missing, at_most) as r
  where s.studio_hash = refresh_due.studio_hash;
end;

comment on function valuation.refresh_due(integer, boolean, integer) is
  'Values again what is due in the studio of a studio_hash; returns how many items, and how many of them show a new value.';
