-- How many live items match. Without updated_since the counters know; with it an index-only scan counts what is newer, and
-- before the watermark (null: whatever is newer).
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(
  category text, coverage_state text, updated_since timestamptz, before timestamptz
)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from api_v1.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d where d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from api_v1.item_documents d
      where d.category = category and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from api_v1.item_documents d
    where d.category = category and d.coverage_state = coverage_state
      and d.updated_at >= updated_since and d.updated_at < until
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz, timestamptz) is 'How many live items match the filters.';
