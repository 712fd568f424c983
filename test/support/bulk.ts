/** Runs one statement for many rows at once. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<unknown>

/** How many rows of each kind a studio gets. */
export type Holdings = {
  items: number
  /** Photos of each item that has any: all of them, or one in so many. */
  photos?: { each: number; oneIn: number }
  maintenance?: number
  locations?: number
  policies?: number
  /** One item in so many is declared under a policy. */
  assignedOneIn?: number
}

/** 200,000 items in seconds: what triggers derive is written here, and `test/plans` compares it
 * with the rules. One item in fifty is archived, one in eight has a market value. */
export async function fillStudio(run: Run, studioId: string, holdings: Holdings): Promise<void> {
  await run('set session_replication_role = replica')
  try {
    for (const [text, ...values] of statements(holdings)) await run(text, [studioId, ...values])
  } finally {
    await run('reset session_replication_role')
  }
}

function statements(holdings: Holdings): [text: string, ...values: unknown[]][] {
  const { items, photos, maintenance = 0, locations = 0, policies = 0, assignedOneIn = 0 } = holdings
  const filled: [string, ...unknown[]][] = [
    [fill.locations, locations],
    [fill.items, items],
    [fill.marketValues],
    [fill.history],
    [fill.valuations],
    [count.items],
  ]
  if (photos) filled.push([fill.photos, photos.each, photos.oneIn])
  if (maintenance > 0) filled.push([fill.maintenance, maintenance], [count.maintenance])
  if (policies > 0) filled.push([fill.policies, policies])
  if (policies > 0 && assignedOneIn > 0) filled.push([fill.assignments, assignedOneIn])
  return [...filled, [count.version]]
}

/** Values follow from a row's number, moments too: 7 ms apart, the highest number is the newest. */
const fill = {
  locations: `
    insert into app.locations (studio_id, name, type, city, country_code, created_at, updated_at)
    select $1, 'Room ' || n, (array['site', 'room', 'storage', 'rack'])[n % 4 + 1], 'Berlin', 'DE', m.at, m.at
    from generate_series(1, $2::integer) as n, lateral (select timestamptz '2026-01-01' + n * interval '7 ms') as m (at)`,
  items: `
    with l as materialized (select array_agg(id order by updated_at, id) as ids from app.locations where studio_id = $1)
    insert into app.items (studio_id, external_key, name, manufacturer, model, serial_number, barcode, category, tags,
      location_id, purchase_price, acquisition_date, reported_insured_value, market_value, market_value_as_of,
      coverage_state, archived_at, created_at, updated_at)
    select $1, 'key-' || n, 'Item ' || n, (array['Neumann', 'AKG', 'Shure', 'Neve', 'API'])[n % 5 + 1], 'Model ' || n % 97,
      'SN-' || n, lpad(n::text, 12, '0'), c.name, array['studio', 'rack ' || n % 7], l.ids[n % cardinality(l.ids) + 1],
      v.price, date '2020-01-01' + n % 2000, v.insured, v.market,
      case when v.market is not null then timestamptz '2026-01-01' end,
      valuation.coverage_state(coalesce(v.market, nullif(v.price, 0)), v.insured),
      case when n % 50 = 0 then timestamptz '2026-06-01' end, v.at, v.at
    from generate_series(1, $2::integer) as n
    join app.categories c on c.position = n % 16 + 1
    cross join l
    cross join lateral (select n % 3 * 100.50 as price, n / 16 % 5 * 40.25 as insured,
      case when n / 16 % 8 = 0 then 90.75 end as market, timestamptz '2026-01-01' + n * interval '7 ms' as at) as v`,
  marketValues: `
    insert into app.market_values (studio_id, item_id, value, as_of, source)
    select studio_id, id, market_value, market_value_as_of, 'a price guide'
    from app.items where studio_id = $1 and market_value is not null`,
  history: `
    insert into app.market_value_history (studio_id, item_id, day, value, as_of)
    select studio_id, item_id, as_of::date, value, as_of from app.market_values where studio_id = $1`,
  valuations: `
    insert into app.item_valuations (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount,
      book_value, replacement_cost, purchase_price, reported_insured_value, category, location_id, is_archived, updated_at)
    select i.studio_id, i.id, v.estimate,
      valuation.value_source(i.market_value, null, null, i.purchase_price, null), i.coverage_state,
      v.estimate - i.reported_insured_value, nullif(i.purchase_price, 0), i.replacement_cost, i.purchase_price, i.reported_insured_value,
      i.category, i.location_id, i.archived_at is not null, i.updated_at
    from app.items i
    cross join lateral (select coalesce(i.market_value, nullif(i.purchase_price, 0)) as estimate) as v
    where i.studio_id = $1`,
  photos: `
    insert into app.item_photos (studio_id, item_id, storage_key, position)
    select i.studio_id, i.id, 'photos/' || i.id || '/' || n || '.jpg', n
    from (select studio_id, id, row_number() over () as number from app.items where studio_id = $1) as i,
      generate_series(1, $2::integer) as n
    where i.number % $3::integer = 0`,
  maintenance: `
    insert into app.maintenance_records (studio_id, item_id, item_name, item_archived, title, maintenance_type, status,
      scheduled_date, completed_date, cost, vendor, created_at, updated_at)
    select studio_id, id, name, archived_at is not null, 'Check of ' || name, 'inspection',
      case when number % 3 = 0 then 'completed' else 'scheduled' end, date '2026-03-01',
      case when number % 3 = 0 then date '2026-03-02' end, 45.00, 'A workshop', updated_at, updated_at
    from (select i.*, row_number() over () as number from app.items i where i.studio_id = $1 limit $2::integer) as i`,
  policies: `
    insert into app.policies (studio_id, name, carrier, policy_number, policy_type, overall_limit, deductible,
      covered_perils, effective_start, effective_end, archived_at, created_at, updated_at)
    select $1, 'Policy ' || n, 'A carrier', 'P-' || n, 'equipment_floater', 500000.00, 250.00, array['fire', 'theft'],
      date '2020-01-01' + n % 700, case when n % 10 = 0 then date '2022-12-31' end,
      case when n % 25 = 0 then timestamptz '2026-06-01' end, m.at, m.at
    from generate_series(1, $2::integer) as n, lateral (select timestamptz '2026-01-01' + n * interval '7 ms') as m (at)`,
  assignments: `
    with p as materialized (select array_agg(id) as ids from app.policies where studio_id = $1)
    insert into app.policy_assignments (studio_id, item_id, policy_id, declared_value, is_primary, effective_start)
    select i.studio_id, i.id, p.ids[i.number % cardinality(p.ids) + 1], 100.00, true, date '2026-01-01'
    from (select studio_id, id, row_number() over () as number from app.items where studio_id = $1) as i
    cross join p
    where i.number % $2::integer = 0`,
}

const count = {
  items: `
    insert into app.item_counts (studio_id, category, coverage_state, slot, items)
    select studio_id, coalesce(category, '*'), coalesce(coverage_state, '*'), 0, count(*)
    from app.items where studio_id = $1 and archived_at is null
    group by grouping sets ((studio_id), (studio_id, category), (studio_id, coverage_state),
      (studio_id, category, coverage_state))`,
  maintenance: `
    insert into app.maintenance_counts (studio_id, status, slot, records)
    select studio_id, coalesce(status, '*'), 0, count(*)
    from app.maintenance_records where studio_id = $1 and not item_archived
    group by grouping sets ((studio_id), (studio_id, status))`,
  version: `
    insert into app.data_versions as stored (studio_id, slot, version) values ($1, 0, 1)
    on conflict (studio_id, slot) do update set version = stored.version + 1`,
}
