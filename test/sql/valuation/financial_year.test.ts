import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { expectConsistent } from '../invariants.ts'
import { type Studio, useSql } from '../support.ts'
import { cents, day, life, method } from './arbitraries.ts'
import { amount, depreciated, iso, wholeMonths } from './exact.ts'

const sql = useSql()
let studio: Studio

/** The example of test/sql/valuation/published.test.ts, bought in the middle of March. */
const desk = {
  purchase_price: 110_000,
  depreciation_method: 'double_declining_balance',
  acquisition_date: '2024-03-15',
  useful_life_months: 60,
  residual_value: 20_000,
}

beforeEach(async () => {
  await sql.stopClock('2026-01-01T12:00:00Z')
  await sql.admin.rows('truncate app.item_valuations')
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

const name = async (month: number | null, of = studio) =>
  Number(await sql.owner.value('select access.set_financial_year($1, $2)', [of.id, month]))

const worthOf = async (id: string) => (await studio.valuation(id))?.current_estimated_value

describe('a studio that names the first month of its financial year', () => {
  test.each<[month: number | null, value: string]>([
    [null, '46200.00'], // 66,000.00 less nine twelfths of 40 %: 21 months are whole
    [1, '44000.00'], // 110,000.00 less ten twelfths of 40 %, less 40 %
    [3, '44000.00'], // 66,000.00 less ten twelfths of 40 %
    [4, '44660.00'], // 110,000.00 less a twelfth of 40 %, less 40 %, less nine twelfths of 40 %
  ])('with %s as its first month 110,000.00 are worth %s', async (month, value) => {
    const item = await studio.add('items', desk)
    await name(month)
    expect(await worthOf(item)).toBe(value)
  })
})

describe('when it is named', () => {
  test('exactly what shows another value moves, with the data version, and once', async () => {
    const [item, steady, written] = [
      await studio.add('items', desk),
      await studio.add('items', { purchase_price: 100 }),
      await studio.add('items', { ...desk, acquisition_date: '2000-03-15' }),
    ]
    const of = (table: string) => Array.fromAsync([item, steady, written], (id) => studio.updatedAt(table, id))
    const moments = async () => [...(await of('item_valuations')), ...(await of('items'))]
    const before = await moments()
    const version = await studio.dataVersion()
    expect(await name(1)).toBe(1)
    const after = await moments()
    expect(after.map((moment, n) => moment > (before[n] ?? 0))).toEqual([true, false, false, false, false, false])
    const moved = await studio.dataVersion()
    expect(moved).toBeGreaterThan(version)
    await expectConsistent(sql, studio)

    expect(await name(1)).toBe(0)
    expect(await studio.dataVersion()).toBe(moved)
    expect(await name(null)).toBe(1)
    await expectConsistent(sql, studio)
  })

  test('an item that is being written has the value of the new year in the end', async () => {
    const item = await studio.add('items', desk)
    await sql.writer.begin(studio)
    await sql.writer.rows('update app.items set purchase_price = 220000 where id = $1', [item])
    await sql.writer.rows(
      `insert into app.items (studio_id, name, purchase_price, depreciation_method, acquisition_date)
       values ($1, 'new', 5000, 'declining_balance', '2024-03-15')`,
      [studio.id],
    )
    const done = name(1)
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 200))])
    await sql.writer.rows('commit')
    expect(await done).toBe(2)
    await expectConsistent(sql, studio)
  })

  test.each([0, 13])('%s is no month', async (month) => {
    await expect(name(month)).rejects.toMatchObject({ code: '22023' })
  })
})

test('every value by financial years is exact to the cent, and known until the day on which it changes', async () => {
  const today = { year: 2026, month: 1, day: 1 }
  const item = fc.record({
    method,
    price: cents.filter((price) => price > 0n),
    acquired: day(2000, 2026),
    life,
    residual: cents,
    start: fc.integer({ min: 1, max: 12 }),
  })
  await fc.assert(
    fc.asyncProperty(item, async ({ acquired, start, ...drawn }) => {
      await name(start)
      const id = await studio.add('items', {
        purchase_price: amount(drawn.price),
        acquisition_date: iso(acquired),
        depreciation_method: drawn.method,
        useful_life_months: drawn.life,
        residual_value: amount(drawn.residual),
      })
      const months = wholeMonths({ ...acquired, day: 1 }, today)
      // Month by month to the one in which a financial year begins.
      let firstYear = 1
      while (((acquired.month - 1 + firstYear) % 12) + 1 !== start) firstYear++
      expect(await worthOf(id)).toBe(amount(depreciated({ ...drawn, months, firstYear })))
    }),
    { numRuns: 20 * deeper },
  )
})
