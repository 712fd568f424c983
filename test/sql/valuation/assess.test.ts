import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { expectConsistent } from '../invariants.ts'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeEach(async () => {
  await sql.stopClock('2026-07-31T12:00:00Z')
  await sql.admin.rows('truncate app.item_valuations')
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

const worthOf = async (id: string) => (await studio.valuation(id))?.current_estimated_value

/** Microphones are used for 180 months and keep 30 %; this one was bought 18 months ago. */
const microphone = {
  ...{ category: 'Microphones', purchase_price: 1800, acquisition_date: '2025-01-31' },
  depreciation_method: 'straight_line',
}

test.each<[what: string, columns: Record<string, unknown>, value: string]>([
  ['are the category’s when the item has none', {}, '1674.00'], // 1800 − (1800 − 540) × 18 / 180
  ['are the item’s own when it has a life', { useful_life_months: 36 }, '1170.00'],
  ['are the item’s own when it has a residual value', { residual_value: 0 }, '1620.00'],
  ['are the item’s own when it has both', { useful_life_months: 18, residual_value: 7 }, '7.00'],
  // 30 % of 0.05 is 0.015: two cents are kept
  ['are rounded to cents before they count', { purchase_price: '0.05', useful_life_months: 1 }, '0.02'],
  ['above the price are the price', { residual_value: 5000, useful_life_months: 1 }, '1800.00'],
])('useful life and residual value %s', async (_what, columns, value) => {
  const id = await studio.add('items', { ...microphone, ...columns })
  expect(await studio.valuation(id)).toMatchObject({ current_estimated_value: value, value_source: 'depreciated' })
})

test.each<[estimated: string | null, insured: string, state: string]>([
  [null, '100', 'value_unknown'],
  ['0', '0', 'uninsured'],
  ['100', '99.99', 'under_covered'],
  ['100', '100', 'fully_covered'],
  ['0', '0.01', 'fully_covered'],
  ['999999999999.99', '999999999999.98', 'under_covered'],
])('a value of %s insured for %s is %s', async (estimated, insured, state) => {
  expect(await sql.owner.value('select valuation.coverage_state($1, $2)', [estimated, insured])).toBe(state)
})

test.each([
  ['Pacific/Kiritimati', '1.00'], // 02:00 on 1 August
  ['Pacific/Pago_Pago', '1800.00'], // 01:00 on 31 July
])('today is the studio’s own day, not the server’s: in %s', async (timezone, value) => {
  studio = await sql.studio({ timezone })
  const columns = { ...microphone, acquisition_date: '2026-07-01', useful_life_months: 1, residual_value: 1 }
  expect(await worthOf(await studio.add('items', columns))).toBe(value)
})

describe('a studio that names the first month of its financial year', () => {
  /** A published example, bought in the middle of March. */
  const desk = {
    ...{ purchase_price: 110_000, residual_value: 20_000, useful_life_months: 60 },
    ...{ acquisition_date: '2024-03-15', depreciation_method: 'double_declining_balance' },
  }
  beforeEach(() => sql.stopClock('2026-01-01T12:00:00Z'))
  const name = async (month: number | null) =>
    Number(await sql.owner.value('select access.set_financial_year($1, $2)', [studio.id, month]))

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

  test('moves exactly what shows another value, with the data version, and once', async () => {
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

  test('gives an item that is being written the value of the new year in the end', async () => {
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
})
