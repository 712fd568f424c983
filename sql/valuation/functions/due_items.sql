-- Items of the session's studio that are due for revaluation, longest due first, at most at_most.
-- With rebuild_missing also items without a projection.
create or replace function valuation.due_items(rebuild_missing boolean, at_most integer) returns setof uuid
language sql stable security definer
set search_path = ''
begin atomic
  select due.item_id from (
    (select v.item_id from app.item_valuations v
     where v.studio_id = access.current_studio_id() and v.revalue_on <= access.current_studio_today()
     order by v.revalue_on limit at_most)
    union all
    (select i.id from app.items i
     where rebuild_missing and i.studio_id = access.current_studio_id() and not exists (
       select from app.item_valuations v where v.studio_id = i.studio_id and v.item_id = i.id and v.value_source is not null)
     limit at_most)
  ) as due (item_id)
  limit at_most;
end;

comment on function valuation.due_items(boolean, integer) is
  'Items of the session''s studio whose value time alone has changed.';
