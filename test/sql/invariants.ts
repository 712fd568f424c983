import { expect } from 'vitest'
import { inStudio, type Sql, type Studio } from './support.ts'

/** Finds the rows that break a rule, after any writes. The clock must stand still while it runs. */
const rules: Record<string, string> = {
  'a projection is what the rules say today': `
    select i.id, v.*, a.*
    from app.items i
    join app.categories c on c.name = i.category
    join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
    join app.studios s on s.id = i.studio_id
    cross join lateral valuation.value_item(i, c, s, i.market_value, access.studio_today(i.studio_id)) as a
    where i.studio_id = $1
      and v.value_source is not null
      and (v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount, v.book_value, v.revalue_on)
        is distinct from
          (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.book_value, a.revalue_on)`,
  'a projection has what its list shows of the item and filters by, and what is summed': `
    select i.id, v.* from app.items i
    left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
    where i.studio_id = $1
      and (v.replacement_cost, v.purchase_price, v.reported_insured_value, v.category, v.location_id, v.is_archived)
        is distinct from
          (i.replacement_cost, i.purchase_price, i.reported_insured_value, i.category, i.location_id, i.archived_at is not null)`,
  'an item has the coverage state of its projection': `
    select i.id, i.coverage_state, v.coverage_state as projected
    from app.items i left join app.item_valuations v on v.studio_id = i.studio_id and v.item_id = i.id
    where i.studio_id = $1 and i.coverage_state is distinct from v.coverage_state`,
  'an item has its market value': `
    select i.id, i.market_value, m.value
    from app.items i left join app.market_values m on m.studio_id = i.studio_id and m.item_id = i.id
    where i.studio_id = $1
      and (i.market_value, i.market_value_as_of) is distinct from (m.value::numeric, m.as_of::timestamptz)`,
  'the counters are the numbers of live items, in every cell': `
    with counted as (
      select coalesce(category, '*') as category, coalesce(coverage_state, '*') as coverage_state, count(*) as items
      from (select category, coalesce(coverage_state, '') as coverage_state from app.items
            where studio_id = $1 and archived_at is null) as live
      group by grouping sets ((), (category), (coverage_state), (category, coverage_state))
    ), stored as (
      select category, coverage_state, sum(items) as items from app.item_counts where studio_id = $1 group by 1, 2
    )
    select category, coverage_state, counted.items as real, stored.items as stored
    from counted full join stored using (category, coverage_state)
    where coverage_state <> '' and coalesce(counted.items, 0) <> coalesce(stored.items, 0)`,
  'a maintenance record has the name and the archiving of its item': `
    select m.id, m.item_name, i.name, m.item_archived, i.archived_at
    from app.maintenance_records m join app.items i on i.studio_id = m.studio_id and i.id = m.item_id
    where m.studio_id = $1 and (m.item_name, m.item_archived) is distinct from (i.name, i.archived_at is not null)`,
  'an item stores the JSON of what the list shows': `
    select i.id, i.document from app.items i join service.listed_items l on l.id = i.id
    where i.studio_id = $1 and i.document is distinct from row_to_json(l)::text`,
  'a maintenance record stores the JSON of what the list shows': `
    select m.id, m.document from app.maintenance_records m join service.listed_maintenance l on l.id = m.id
    where m.studio_id = $1 and m.document is distinct from row_to_json(l)::text`,
  'the counters are the numbers of maintenance records, in every cell': `
    with counted as (
      select coalesce(status, '*') as status, count(*) as records
      from app.maintenance_records where studio_id = $1 and not item_archived
      group by grouping sets ((), (status))
    ), stored as (
      select status, sum(records) as records from app.maintenance_counts where studio_id = $1 group by 1
    )
    select status, counted.records as real, stored.records as stored
    from counted full join stored using (status)
    where coalesce(counted.records, 0) <> coalesce(stored.records, 0)`,
}

/** The days for which the short way gives other values than the whole arithmetic. */
const valuedOtherwise = `
  with days as (
    select access.current_studio_today() + n as day from unnest(array[-400, -40, -1, 0, 1, 20, 40, 400]) as n
  )
  select d.day, (v.item).name, a, v.breakdown
  from days d cross join lateral valuation.value_items(d.day) as v
  full join (select d.day, a.* from days d cross join lateral valuation.assess_items(d.day) as a) as a
    on a.day = d.day and a.id = (v.item).id
  where (a.current_estimated_value, a.value_source, a.coverage_state, a.gap_amount, a.book_value) is distinct from
    ((v.breakdown).current_estimated_value, (v.breakdown).value_source, (v.breakdown).coverage_state,
    (v.breakdown).gap_amount, (v.breakdown).book_value)`

/** Fails with the rows that break a rule, if there are any. */
export async function expectConsistent(sql: Sql, studio: Pick<Studio, 'id'>): Promise<void> {
  const otherwise = await inStudio(sql.admin, studio, (session) => session.rows(valuedOtherwise))
  expect(otherwise, 'an item has the value of a day by the rules').toEqual([])
  for (const [rule, text] of Object.entries(rules)) {
    expect(await sql.admin.rows(text, [studio.id]), rule).toEqual([])
  }
}

/** Fails if a parallel worker computes other values of a day, or may not compute them all. Before 17
 * PostgreSQL never lets a worker compute a statement that has InitPlans. */
export function expectSameInParallel(sql: Sql, studio: Pick<Studio, 'id'>, day: string): Promise<void> {
  return inStudio(sql.admin, studio, async (session) => {
    const values = `select a::text as item from valuation.assess_items('${day}') as a`
    const alone = await session.rows(values)
    if (Number(await session.value('show server_version_num')) < 170_000) return
    await session.rows('set local debug_parallel_query = on')
    const [plan] = await session.rows(`explain ${values}`)
    expect(plan?.['QUERY PLAN']).toMatch(/^Gather/)
    expect(await session.rows(values)).toEqual(alone)
  })
}

/** Refreshes every studio that is due; returns the number of items that moved. $1: rebuild
 * missing projections. */
export const refreshAll = `
  with recursive due (studio_hash) as (
    select valuation.next_due(null, $1)
    union all select valuation.next_due(d.studio_hash, $1) from due d where d.studio_hash is not null)
  select coalesce(sum(r.moved), 0) from due d, lateral valuation.refresh_due(d.studio_hash, $1, 1000000) as r`
