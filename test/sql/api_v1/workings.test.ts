import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { parsed, type Session, type Studio, useSql } from '../support.ts'
import { amount, cents, day, iso, life } from '../valuation/exact.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

const page = await readFile(join(import.meta.dirname, '../../../docs/valuation.md'), 'utf8')
/** The result of the left side of an arithmetic, as a person with paper would find it. */
const result = (expression: string) =>
  sql.admin.value<string>(`select ${expression.replace(/\d+(\.\d+)?/g, '($&)::numeric(60,20)')}`)

/** Follows the three lines of an item that depreciates from what was paid to its value. */
async function follow(found: Record<string, string>): Promise<void> {
  const { opening_arithmetic, charge_arithmetic, arithmetic, opening_value, charge, depreciated_value } = found
  const near = async (line = '', shown = '', tolerance = 0) => {
    const [expression = '', written = ''] = line.split(' = ')
    expect(Math.abs(Number(await result(`${expression} - (${written})`))), line).toBeLessThanOrEqual(tolerance)
    expect(Math.abs(Number(await result(`${shown} - (${written})`))), line).toBeLessThanOrEqual(0.000001)
    return expression
  }
  const floor = /^(\S+), the residual value: (.+) is not more$/.exec(opening_arithmetic ?? '')
  if (floor) {
    expect(Number(await result(`${floor[2]} - ${floor[1]}`)), opening_arithmetic).toBeLessThanOrEqual(0)
    expect(Number(floor[1])).toBe(Number(opening_value))
  } else if (found.past_years === null || Number(found.past_years) === 0) {
    expect(opening_arithmetic).toBe(`${found.purchase_price}, what was paid`)
    expect(Number(opening_value)).toBe(Number(found.purchase_price))
  } else {
    const expression = await near(opening_arithmetic, opening_value, 0.000001)
    expect(expression).toMatch(/^[\d.]+ \* \(1 - /)
  }
  const written = (line = '') => /(?:= |^)(-?[\d.]+)(?:,|$)/.exec(line)?.[1]
  const expression = await near(charge_arithmetic, charge, 0.000002)
  // Each line begins with the result of the one before.
  expect(Number(expression.split(' ')[0])).toBe(Number(written(opening_arithmetic)))
  if (found.value_source === 'depreciated') {
    const last = await near(arithmetic, depreciated_value, 0.005001)
    expect(last.split(' ')[0]).toBe(expression.split(' ')[0])
    expect(last.split(' ')[2]).toBe(written(charge_arithmetic))
  }
}

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

const undated = { purchase_price: 7, depreciation_method: 'straight_line' }
test.each([
  [{}, 'unknown', 'nothing is known of its value', 'depreciated: the method is none'],
  [undated, 'purchase_price', '7.00, what was paid', 'depreciated: no acquisition date'],
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
            residual_value: amount(money_.residual),
            manual_value: amount(money_.manual),
            replacement_cost: amount(money_.replacement),
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
          const found = await workings(item_id as string)
          if (found.depreciated_value !== null) await follow(found as Record<string, string>)
          const { data } = await one.ask('get_item', item_id)
          // Amounts as they are in the JSON: large ones are no numbers of JavaScript.
          for (const [name, value] of Object.entries(figures)) {
            const shown = new RegExp(`"${name}":("?)([^",}]*)\\1[,}]`).exec(data ?? '')?.[2]
            expect(`${name} ${shown}`).toBe(`${name} ${value}`)
          }
        }
      },
    ),
    { numRuns: 5 * deeper },
  )
})

test.each<[string, { acquisition_date: string; [column: string]: unknown }, object, string[]]>([
  [
    'in a later financial year',
    { acquisition_date: '2024-03-01', start: 1 },
    { first_year_months: '10', past_years: 2 },
    ['11000 * (1 - 24 / 60 * 10 / 12) * (1 - 24 / 60) = 4400', '4400 - 3300 = 1100', '4400 - 1100 * 10 / 12 = 3483.33'],
  ],
  [
    'at its residual value',
    { acquisition_date: '2023-03-01', start: 1 },
    { past_years: 3 },
    [
      '3300, the residual value: 11000 * (1 - 24 / 60 * 10 / 12) * (1 - 24 / 60) ^ 2 is not more',
      '3300 - 3300 = 0',
      '3300 - 0 * 10 / 12 = 3300.00',
    ],
  ],
  [
    'with a rate of 100 %',
    { acquisition_date: '2026-10-22', useful_life_months: 18, residual_value: 0 },
    { past_years: 0 },
    ['11000.00, what was paid', '11000 - 0 = 11000', '11000 - 11000 * 1 / 12 = 10083.33'],
  ],
  [
    'with the straight line as its floor',
    { acquisition_date: '2024-08-22', depreciation_rate: 30, switches_to_straight_line: 'floor', residual_value: 1000 },
    { past_years: 2, period_months: '26.34' },
    ['11000 * (1 - 30 / 100) ^ 2 = 5390', '5390 - 1000 = 4390', '5390 - 4390 * 3 / (4390 * 60 / 10000) = 4890.00'],
  ],
  [
    'by the straight line',
    { acquisition_date: '2025-11-22', depreciation_method: 'straight_line' },
    {
      ...{ as_of: '2026-11-22', useful_life_months: 60, useful_life_from: 'item', residual_value_from: 'category' },
      ...{ first_year_months: null, past_years: null, months: '12', gap_amount: '9460.00' },
    },
    ['11000.00, what was paid', '11000 - 3300 = 7700', '11000 - 7700 * 12 / 60 = 9460.00'],
  ],
])('the arithmetic of an item %s', async (_what, { start, ...columns }, figures, lines) => {
  if (start) await sql.owner.rows('select access.set_financial_year($1, $2)', [studio.id, start])
  const item = await studio.add('items', {
    ...{ purchase_price: 11_000, depreciation_method: 'double_declining_balance', useful_life_months: 60 },
    ...{ category: 'Microphones', ...columns },
  })
  const found = await workings(item)
  expect(found).toMatchObject(figures)
  const { opening_arithmetic, charge_arithmetic, arithmetic } = found
  expect([opening_arithmetic, charge_arithmetic, arithmetic].slice(0, lines.length)).toEqual(lines)
  await follow(found as Record<string, string>)
})
