import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { parsed, type Session, type Studio, useSql } from '../support.ts'
import { cents, day, life } from '../valuation/arbitraries.ts'
import { amount, iso } from '../valuation/exact.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

const page = await readFile(join(import.meta.dirname, '../../../docs/valuation.md'), 'utf8')
/** The statement of the page that makes every figure from its inputs. */
const [, statement = ''] = /```sql\n(select item_id, current_estimated_value[^`]+);\n```/.exec(page) ?? []

beforeEach(async () => {
  await sql.stopClock('2026-11-22T12:00:00Z')
  studio = await sql.studio()
  analyst ??= await sql.connect('studio_graphql')
  await analyst.rows('set search_path = api_v1')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

const workings = (item: string) =>
  analyst.row('select w.*, w.as_of::text, w.period_starts_on::text from api_v1.workings w where item_id = $1', [item])

test('of a depreciated item: the inputs, the sources passed over, the arithmetic', async () => {
  const item = await studio.add('items', {
    purchase_price: 11_000,
    acquisition_date: '2025-02-22',
    depreciation_method: 'double_declining_balance',
    useful_life_months: 60,
    replacement_cost: 12_000,
    reported_insured_value: 5_000,
    category: 'Microphones',
  })
  expect(await workings(item)).toMatchObject({
    as_of: '2026-11-22',
    useful_life_months: 60,
    useful_life_from: 'item',
    residual_value: '3300.00',
    residual_value_from: 'category',
    months: 21,
    period_starts_on: '2026-02-22',
    months_in_period: 9,
    period_months: 12,
    depreciated_value: '4620.00',
    value_source: 'depreciated',
    gap_amount: '-380.00',
    arithmetic: '6600 - 2640 * 9 / 12 = 4620.00',
    passed_over: [
      'market: no market value',
      'manual: no manual value',
      'purchase_price: 11000.00 comes after depreciated',
      'replacement_cost: 12000.00 comes after depreciated',
    ],
  })
})

test.each([
  [{}, 'unknown', 'nothing is known of its value', 'depreciated: the method is none'],
  [{ manual_value: 0 }, 'manual', '0.00, as the studio values it', 'depreciated: the method is none'],
  [{ replacement_cost: 7 }, 'replacement_cost', '7.00, what a new one costs', 'purchase_price: no purchase price'],
  [
    { purchase_price: 7, depreciation_method: 'straight_line' },
    'purchase_price',
    '7.00, what was paid',
    'depreciated: no acquisition date',
  ],
  [
    { acquisition_date: '2025-01-01', depreciation_method: 'straight_line' },
    'unknown',
    'nothing is known of its value',
    'depreciated: no purchase price',
  ],
])('of an item with %o: why each other source does not count', async (columns, source, arithmetic, passed) => {
  const found = await workings(await studio.add('items', columns))
  expect(found).toMatchObject({ value_source: source, arithmetic, passed_over: expect.arrayContaining([passed]) })
})

test('every figure of the REST API is reproduced by the statement of docs/valuation.md, for every item of random studios', async () => {
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 })
  const item = fc.record({
    method: fc.constantFrom('none', 'straight_line', 'declining_balance', 'double_declining_balance'),
    price: fc.oneof(fc.constant(0n), cents, cents),
    acquired: maybe(day(2005, 2028)),
    life: maybe(life),
    residual: maybe(cents),
    manual: fc.option(cents, { freq: 4 }),
    replacement: maybe(cents),
    insured: fc.oneof(fc.constant(0n), cents),
    market: fc.option(cents, { freq: 4 }),
    archived: fc.boolean(),
  })
  const money = (value: bigint | null) => (value === null ? null : amount(value))
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 12 }),
      maybe(fc.integer({ min: 1, max: 12 })),
      async (drawn, start) => {
        const one = await sql.studio()
        await sql.owner.rows('select access.set_financial_year($1, $2)', [one.id, start])
        for (const { method, acquired, life, market, archived, ...money_ } of drawn) {
          const id = await one.add('items', {
            depreciation_method: method,
            purchase_price: amount(money_.price),
            acquisition_date: acquired && iso(acquired),
            useful_life_months: life,
            residual_value: money(money_.residual),
            manual_value: money(money_.manual),
            replacement_cost: money(money_.replacement),
            reported_insured_value: amount(money_.insured),
            archived_at: archived && drawn.length > 6 ? '2026-01-01T00:00:00Z' : null,
          })
          if (market !== null) await one.market(id, amount(market))
        }
        await analyst.rows(`select set_config('studio.id', $1, false)`, [one.id])
        const made = await analyst.rows<Record<string, string | null>>(statement)
        const listed = parsed<{ id: string }>(await one.ask('list_items', 1, 100, null, null, null))
        expect(made.map(({ item_id }) => item_id).toSorted()).toEqual(listed.map(({ id }) => id).toSorted())
        for (const { item_id, ...figures } of made) {
          const { data } = await one.ask('get_item', item_id)
          // Amounts as they stand in the JSON: large ones are no numbers of JavaScript.
          for (const [name, value] of Object.entries(figures)) {
            const shown = new RegExp(`"${name}":("?)([^",}]*)\\1[,}]`).exec(data ?? '')?.[2]
            expect(`${name} ${shown}`).toBe(`${name} ${value}`)
          }
        }
      },
    ),
    { numRuns: 25 },
  )
})
