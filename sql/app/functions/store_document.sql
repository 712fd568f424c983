-- Trigger of app.items and app.maintenance_records, after those that change the row: stores the
-- row's JSON for lists, and the words and tags that an item is found by. The columns are those of
-- service.listed_items and listed_maintenance, which cannot show a row before it is written.
create or replace function app.store_document() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  method text;
begin
  if tg_relid = 'app.items'::regclass then
    if new.depreciation_changes is not null then
      select c.depreciation_method into method from pg_catalog.unnest(new.depreciation_changes) as c
      where c.depreciation_method is not null order by c.effective_on desc limit 1;
    end if;
    -- This is one expression, because a sub-select would take two to four times as long for each
    -- row.
    new.document := row_to_json(row(
      new.id, new.name, new.manufacturer, new.model, new.serial_number, new.barcode, new.category, new.tags,
      new.purchase_price, new.acquisition_date, coalesce(method, new.depreciation_method),
      api_v1.rfc3339(new.market_value_as_of), new.reported_insured_value, new.location_id,
      api_v1.rfc3339(new.created_at), api_v1.rfc3339(new.updated_at)
    )::service.listed_items)::text;
    -- A row of an index holds this many letters.
    new.words := pg_catalog.left(api_v1.squeezed(pg_catalog.concat_ws('|', new.name, new.manufacturer, new.model,
      new.serial_number, new.barcode, pg_catalog.array_to_string(new.tags, '|'))), 500);
    new.short_tags := case when pg_catalog.octet_length(pg_catalog.array_to_string(new.tags, ''))
      + 8 * pg_catalog.cardinality(new.tags) <= 400 then new.tags end;
  else
    new.document := row_to_json(row(
      new.id, new.item_id, new.item_name, new.title, new.maintenance_type, new.status, new.scheduled_date,
      new.completed_date, new.cost, new.vendor, new.description,
      api_v1.rfc3339(new.created_at), api_v1.rfc3339(new.updated_at)
    )::service.listed_maintenance)::text;
  end if;
  return new;
end
$$;

comment on function app.store_document() is 'Trigger: stores the JSON text of a row with the row.';
