-- GET /valuations?on=: the value at the end of a day, past or future, of each item in the inventory
-- by then (valuation.inventory()), by item id, descending. Values only the items of the page,
-- unless a filter compares values: then all items.
--   after  the id that the page before ended with; page counts without it
-- The columns are those of the service's own statements for lists; last_at says nothing.
create or replace function api_v1.list_valuations_on(
  token_digest bytea, "on" date, client_address inet default null, page bigint default 1, per_page bigint default 50,
  after uuid default null, category text default null, coverage_state text default null, location_id uuid default null,
  value_source text default null, include_sublocations text default null,
  out status smallint, out token_id uuid, out studio_id uuid, out plan_tier text, out version text, out watermark timestamptz,
  out total bigint, out data text, out has_more boolean, out last_at timestamptz, out last_id uuid
)
language plpgsql stable security definer
set search_path = ''
set enable_sort = on -- of a page; its order is not to be that in which all items are read,
set enable_bitmapscan = on
set enable_indexscan = off -- but the order on disk
as $$
#variable_conflict use_variable
declare
  answer access.operation_row := access.open_session(token_digest, client_address);
  skipped bigint := case when after is null then (page - 1) * per_page else 0 end;
  places uuid[];
  ids uuid[];
begin
  status := answer.status;
  token_id := answer.token_id;
  studio_id := answer.studio_id;
  plan_tier := answer.plan_tier;
  if status <> 200 then
    return;
  end if;
  version := answer.version;
  watermark := answer.watermark;

  if include_sublocations = 'true' and location_id is not null then
    places := array(
      with recursive within (id) as (
        select location_id union select l.id from within w join api_v1.locations l on l.parent_id = w.id)
      select w.id from within w);
  else
    places := array[location_id];
  end if;
  if coverage_state is null and value_source is null then
    with listed as materialized (
      select (v.item).id as id from valuation.inventory("on") as v
      where (category is null or (v.item).category = category)
        and (location_id is null or (v.item).location_id = any (places))
    )
    select count(*), array(
      select l.id from listed l where after is null or l.id < after order by l.id desc offset skipped limit per_page + 1)
    into total, ids from listed;
  else
    with listed as materialized (
      select v.id from api_v1.items_on("on") as v -- not assess_items(): SELECT INTO has no parallel workers
      where (category is null or v.category = list_valuations_on.category)
        and (location_id is null or v.location_id = any (places))
        and (coverage_state is null or v.coverage_state = list_valuations_on.coverage_state)
        and (value_source is null or v.value_source = list_valuations_on.value_source)
    )
    select count(*), array(
      select l.id from listed l where after is null or l.id < after order by l.id desc offset skipped limit per_page + 1)
    into total, ids from listed;
  end if;

  select coalesce(pg_catalog.string_agg(row_to_json((select valuation from (select
    (v.item).id as item_id, (v.breakdown).current_estimated_value::numeric as current_estimated_value,
    (v.breakdown).value_source, null::numeric as agreed_value_from_policy, (v.breakdown).coverage_state,
    (v.breakdown).gap_amount::numeric as gap_amount, (v.breakdown).book_value::numeric as book_value,
    (v.item).purchase_price::numeric as purchase_price,
    (v.item).reported_insured_value::numeric as reported_insured_value,
    api_v1.rfc3339(coalesce((
      select p.updated_at from app.item_valuations p where p.studio_id = (v.item).studio_id and p.item_id = k.id),
      (v.item).updated_at)) as updated_at
  ) as valuation))::text, ',' order by k.id desc), '') into data
  from pg_catalog.unnest(ids[:per_page]) as k (id)
  cross join lateral valuation.value_items("on", k.id) as v;
  has_more := pg_catalog.cardinality(ids) > per_page;
  last_id := ids[least(pg_catalog.cardinality(ids), per_page)];
  last_at := 'epoch';
end
$$;

comment on function api_v1.list_valuations_on(
  bytea, date, inet, bigint, bigint, uuid, text, text, uuid, text, text) is
  'GET /valuations?on=: what items were, or will be, worth at the end of a day.';
