-- How many live items match. The counters know for a category, a coverage state and both. Otherwise an index is
-- read: of what is newer than updated_since, and before the watermark (null: whatever is newer); of what has the barcode or
-- the serial number.
-- spec: meta.total — "Total number of matching records."
create or replace function api_v1.count_items(
  category text, coverage_state text, updated_since timestamptz, before timestamptz, barcode text default null,
  serial_number text default null
)
returns bigint
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  since timestamptz := coalesce(updated_since, '-infinity');
  until timestamptz := coalesce(before, 'infinity');
  -- Under row-level security an index is looked up by a variable, but not by what coalesce() gives of one.
  counted_category text := coalesce(category, '*');
  counted_state text := coalesce(coverage_state, '*');
begin
  if barcode is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.barcode = barcode and d.barcode <> '' and octet_length(d.barcode) <= 1000
        and (serial_number is null or d.serial_number = serial_number)
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif serial_number is not null then
    return (select count(*) from (
      select from service.item_documents d
      where d.serial_number = serial_number and d.serial_number <> '' and octet_length(d.serial_number) <= 1000
        and (category is null or d.category = category)
        and (coverage_state is null or d.coverage_state = coverage_state)
        and d.updated_at >= since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as found);
  elsif updated_since is null then
    if '*' in (category, coverage_state) then
      return 0; -- the counters' word for "all" is no category and no state
    end if;
    return (
      select coalesce(sum(c.items), 0)::bigint from service.item_counts c
      where c.category = counted_category and c.coverage_state = counted_state);
  end if;

  -- Counted in the order of the list, so that it is the list's index that is read, from the newest to updated_since.
  if category is null and coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d where d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif coverage_state is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.category = category and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  elsif category is null then
    return (select count(*) from (
      select from service.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= updated_since and d.updated_at < until
      order by d.updated_at desc, d.id desc) as newer);
  end if;
  return (select count(*) from (
    select from service.item_documents d
    where d.category = category and d.coverage_state = coverage_state
      and d.updated_at >= updated_since and d.updated_at < until
    order by d.updated_at desc, d.id desc) as newer);
end
$$;

comment on function api_v1.count_items(text, text, timestamptz, timestamptz, text, text) is 'How many live items match the filters.';
