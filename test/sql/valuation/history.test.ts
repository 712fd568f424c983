import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodesOf, type PlanNode } from '../../plans/explained.ts'
import { deeper } from '../../support/depth.ts'
import { randomWrite, type Write } from '../random_writes.ts'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let analyst: Session
beforeAll(async () => {
  analyst = await sql.connect('studio_graphql')
})
afterAll(() => sql.startClock())

type Row = Record<string, string | null>

const inputs = [
  ...['currency', 'purchase_price', 'acquisition_date', 'depreciation_method', 'useful_life_months', 'residual_value'],
  ...['financial_year_start_month', 'depreciation_rate', 'switches_to_straight_line', 'first_period', 'market_value'],
  ...['manual_value', 'replacement_cost', 'reported_insured_value'],
]
const results = ['current_estimated_value', 'value_source', 'coverage_state', 'gap_amount']
const columns = ['item_id', 'name', 'category', ...inputs, 'market_value_as_of', ...results]

/** Everything that a month's closing knows of every item, as text, and so with the decimals of each amount. */
const snapshot = `
  select ${columns.map((name) => `s.${name}::text`).join(', ')} from valuation.value_items($1) as v
  cross join lateral (select (v.item).id as item_id, (v.item).name, (v.item).category, (v.studio).currency,
    (v.item).purchase_price, (v.item).acquisition_date, (v.breakdown).depreciation_method,
    (v.breakdown).useful_life_months, (v.breakdown).residual_value, (v.studio).financial_year_start_month,
    (v.breakdown).given_rate::numeric(6,3) as depreciation_rate, (v.breakdown).switches as switches_to_straight_line,
    (v.studio).first_period, (v.breakdown).market_value, v.market_value_as_of::timestamptz(3), (v.item).manual_value,
    (v.item).replacement_cost, (v.item).reported_insured_value, (v.breakdown).current_estimated_value,
    (v.breakdown).value_source, (v.breakdown).coverage_state, (v.breakdown).gap_amount) as s
  order by s.item_id`

const shown = (condition: string) =>
  `select ${columns.map((name) => `${name}::text`).join(', ')} from api_v1.closed_values where ${condition}
   order by month_end, item_id`

/** The dinar has three decimals. */
const writesOfOwner = [
  `set_currency($1, 'BHD')`,
  ...['half_year', 'mid_month', 'full_month'].map((period) => `set_first_period($1, '${period}')`),
].map((call): Write => ({ by: 'owner', text: `select access.${call}` }))
const write = fc.oneof(randomWrite, randomWrite, randomWrite, fc.constantFrom(...writesOfOwner))
const month = fc.record({
  writes: fc.array(write, { maxLength: 6 }),
  passed: fc.constantFrom(1, 1, 1, 2, 4),
  atMost: fc.integer({ min: 1, max: 7 }),
})

test('after any history, closed months show to the letter what a full copy at their closing did, and the same corrections', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(month, { minLength: 3, maxLength: 9 }), async (months) => {
      let clock = new Date('2026-08-31T22:00:00Z')
      await sql.stopClock(clock.toISOString())
      await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
      const studios = [await sql.studio(), await sql.studio({ timezone: 'Pacific/Honolulu' })]
      const copies = studios.map(() => new Map<string, Row[]>())
      for (const { writes, passed, atMost } of months) {
        for (const [n, each] of writes.entries()) await run(studios[n % 3 === 2 ? 1 : 0] as Studio, each, clock)
        clock = new Date(Date.UTC(clock.getUTCFullYear(), clock.getUTCMonth() + passed, 27 + (atMost % 2) * 5))
        await sql.stopClock(clock.toISOString())
        for (const [n, studio] of studios.entries()) await closeAndCopy(studio, copies[n] as Map<string, Row[]>, atMost)
      }
      for (const [n, studio] of studios.entries()) await expectSame(studio, copies[n] as Map<string, Row[]>)
    }),
    { numRuns: 6 * deeper },
  )
})

test('a page of a month, and all months of an item, read no values but those that they show', async () => {
  await sql.stopClock('2026-08-31T22:00:00Z')
  const studio = await sql.studio()
  await studio.write((session) =>
    session.rows(
      `insert into app.items (studio_id, name, purchase_price, acquisition_date, depreciation_method)
       select $1, 'item ' || n, 100 * n, date '2026-01-01', 'straight_line' from generate_series(1, 400) as n`,
      [studio.id],
    ),
  )
  await sql.stopClock('2026-12-02T00:00:00Z')
  await closeAndCopy(studio, new Map(), 1000)
  await sql.admin.rows('analyze app.closed_values, app.closings')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
  const item = await analyst.value('select item_id from api_v1.closed_values order by month_end, item_id limit 1')
  for (const [condition, shows] of [
    [`month_end = '2026-11-30'`, 51],
    ['true', 51],
    [`item_id = '${item}'`, 4],
  ]) {
    const text = `explain (analyze, format json)
      select * from api_v1.closed_values where ${condition} order by month_end, item_id limit 51`
    const [{ Plan: plan }] = await analyst.value<[{ Plan: PlanNode }]>(text)
    const latest = nodesOf(plan).find((node) => node.Alias === 'l' && node['Relation Name'] === 'closed_values')
    expect(latest?.['Actual Loops'], String(condition)).toBe(shows)
  }
})

async function run(studio: Studio, { by, text }: Write, clock: Date): Promise<void> {
  const statement = text.replaceAll('now()', `timestamptz '${clock.toISOString()}'`)
  await inStudio(by === 'owner' ? sql.owner : sql.writer, studio, (session) =>
    session.rows(statement, statement.includes('$1') ? [studio.id] : []),
  )
}

/** Closes what is due, and copies each month as it was at its closing: nothing is written in between. */
async function closeAndCopy(studio: Studio, copies: Map<string, Row[]>, atMost: number): Promise<void> {
  const studioHash = await sql.admin.value('select studio_hash from app.studios where id = $1', [studio.id])
  for (let due = true; due; )
    due = await sql.writer.value('select due from valuation.close_month($1, $2)', [studioHash, atMost])
  const all = 'select month_end::text from app.closings where studio_id = $1'
  for (const { month_end } of await sql.admin.rows<{ month_end: string }>(all, [studio.id])) {
    if (!copies.has(month_end)) copies.set(month_end, await valuesToday(studio, month_end))
  }
}

const valuesToday = (studio: Studio, day: string) =>
  inStudio(sql.owner, studio, (session) => session.rows<Row>(snapshot, [day]))

async function expectSame(studio: Studio, copies: Map<string, Row[]>): Promise<void> {
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
  const months = [...copies.keys()].toSorted()
  const all = months.flatMap((each) => copies.get(each) ?? [])
  expect(await analyst.rows(shown('true'))).toEqual(all)
  for (const [end, rows] of copies) {
    expect(await analyst.rows(shown(`month_end = '${end}'`))).toEqual(rows)
    expect(await correctionsOf(end)).toEqual(changesOf(rows, await valuesToday(studio, end)))
  }
  for (const id of new Set(all.map((row) => row.item_id))) {
    expect(await analyst.rows(shown(`item_id = '${id}'`))).toEqual(all.filter((row) => row.item_id === id))
  }
  const sums =
    'estimated_value::float8, reported_insured_value::float8 from app.closings where items > 0 order by month_end'
  expect(await inStudio(sql.owner, studio, (session) => session.rows(`select items, ${sums}`))).toEqual(
    await analyst.rows(`select count(*)::integer as items, coalesce(sum(current_estimated_value), 0)::float8 as estimated_value,
      sum(reported_insured_value)::float8 as reported_insured_value
      from api_v1.closed_values group by month_end order by month_end`),
  )
}

const correctionsOf = (end: string) =>
  analyst.rows(
    `select item_id, closed_value::text, corrected_value::text, difference::float8, changed from api_v1.corrections
     where month_end = $1 order by item_id`,
    [end],
  )

/** What `corrections` says of a month, from its copy and the values of today. */
function changesOf(closed: Row[], today: Row[]) {
  const ids = [...new Set([...closed, ...today].map((row) => row.item_id ?? ''))].toSorted()
  const same = (one: Row, other: Row, name: string) =>
    one[name] === other[name] || Number(one[name] ?? Number.NaN) === Number(other[name] ?? Number.NaN)
  return ids.flatMap((id) => {
    const [then, now] = [closed, today].map((rows) => rows.find((row) => row.item_id === id))
    const compared = ['currency', 'current_estimated_value', 'value_source', 'reported_insured_value', 'coverage_state']
    if (then && now && compared.every((name) => same(then, now, name))) return []
    const [before, after] = [then, now].map((row) => row?.current_estimated_value ?? null)
    const inOneCurrency = !then || !now || then.currency === now.currency
    return [
      {
        item_id: id,
        closed_value: before,
        corrected_value: after,
        difference: inOneCurrency ? Number((Number(after) - Number(before)).toFixed(3)) : null,
        changed: !then ? ['added'] : !now ? ['removed'] : inputs.filter((name) => !same(then, now, name)),
      },
    ]
  })
}
