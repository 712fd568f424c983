-- How many maintenance records of live items match. Without updated_since and item the counters know.
create or replace function api_v1.count_maintenance(item_id uuid, status text, updated_since timestamptz, before timestamptz)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  until timestamptz := coalesce(before, 'infinity');
  counted_status text := coalesce(status, '*'); -- a variable, as in api_v1.count_items()
begin
  if item_id is not null then
    return (select count(*) from service.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status)
        and d.updated_at >= coalesce(updated_since, '-infinity') and d.updated_at < until);
  elsif updated_since is null then
    if status = '*' then
      return 0; -- the counters' word for "all" is no status
    end if;
    return (
      select coalesce(sum(c.records), 0)::bigint from service.maintenance_counts c
      where c.status = counted_status);
  elsif status is null then
    return (select count(*) from service.maintenance_documents d where d.updated_at >= updated_since and d.updated_at < until);
  end if;
  return (select count(*) from service.maintenance_documents d
    where d.status = status and d.updated_at >= updated_since and d.updated_at < until);
end
$$;

comment on function api_v1.count_maintenance(uuid, text, timestamptz, timestamptz) is
  'How many maintenance records match the filters.';
