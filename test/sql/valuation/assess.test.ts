import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deeper } from '../../support/depth.ts'
import { type Studio, useSql } from '../support.ts'
import { cents, day, life, method } from './arbitraries.ts'
import { amount, type Inputs, iso, valued, wholeMonths } from './exact.ts'

const sql = useSql()
const today = { year: 2026, month: 7, day: 31 }
let studio: Studio

beforeAll(async () => {
  await sql.stopClock('2026-07-31T12:00:00Z')
  studio = await sql.studio()
})
afterAll(() => sql.startClock())

const worth = async (columns: Record<string, unknown>) => {
  const { current_estimated_value, value_source } = (await studio.valuation(await studio.add('items', columns))) ?? {}
  return [current_estimated_value, value_source]
}

/** Microphones are used for 180 months and keep 30 %. */
const microphone = {
  category: 'Microphones',
  purchase_price: 1800,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31', // 18 months ago
}

describe('useful life and residual value', () => {
  test('are the category’s when the item has none', async () => {
    expect(await worth(microphone)).toEqual(['1674.00', 'depreciated']) // 1800 − (1800 − 540) × 18 / 180
  })

  test('are the item’s own when it has them', async () => {
    expect(await worth({ ...microphone, useful_life_months: 36 })).toEqual(['1170.00', 'depreciated'])
    expect(await worth({ ...microphone, residual_value: 0 })).toEqual(['1620.00', 'depreciated'])
    expect(await worth({ ...microphone, useful_life_months: 18, residual_value: 7 })).toEqual(['7.00', 'depreciated'])
  })

  test('are rounded to cents before they count', async () => {
    // 30 % of 0.05 is 0.015: two cents are kept
    expect(await worth({ ...microphone, purchase_price: '0.05', useful_life_months: 1 })).toEqual([
      '0.02',
      'depreciated',
    ])
  })

  test('a residual value above the price is the price', async () => {
    expect(await worth({ ...microphone, residual_value: 5000, useful_life_months: 1 })).toEqual([
      '1800.00',
      'depreciated',
    ])
  })
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

test('today is the studio’s own day, not the server’s', async () => {
  const [east, west] = [
    await sql.studio({ timezone: 'Pacific/Kiritimati' }),
    await sql.studio({ timezone: 'Pacific/Pago_Pago' }),
  ]
  // 02:00 on the 1st at Kiritimati, 01:00 on the 31st at Pago Pago
  const columns = { ...microphone, acquisition_date: '2026-07-01', useful_life_months: 1, residual_value: 1 }
  expect(await east.valuation(await east.add('items', columns))).toMatchObject({ current_estimated_value: '1.00' })
  expect(await west.valuation(await west.add('items', columns))).toMatchObject({ current_estimated_value: '1800.00' })
})

test('every projection is what the rules say, to the cent', async () => {
  const some = fc.option(cents)
  const item = fc.record({
    method: fc.oneof(method, fc.constant('none' as const)),
    price: cents,
    acquired: fc.option(day(1990, 2030)),
    life,
    residual: cents,
    market: fc.option(cents, { freq: 2 }),
    manual: fc.option(cents, { freq: 2 }),
    replacement: some,
    insured: fc.oneof(fc.constant(0n), cents),
  })
  await fc.assert(
    fc.asyncProperty(item, async ({ acquired, ...drawn }) => {
      const inputs: Inputs = { ...drawn, months: acquired === null ? null : wholeMonths(acquired, today) }
      const id = await studio.add('items', {
        purchase_price: amount(inputs.price),
        acquisition_date: acquired === null ? null : iso(acquired),
        depreciation_method: inputs.method,
        useful_life_months: inputs.life,
        residual_value: amount(inputs.residual),
        manual_value: amount(inputs.manual),
        replacement_cost: amount(inputs.replacement),
        reported_insured_value: amount(inputs.insured),
      })
      if (inputs.market !== null) await studio.market(id, amount(inputs.market))
      const expected = valued(inputs)
      expect(await studio.valuation(id)).toMatchObject({
        current_estimated_value: amount(expected.value),
        value_source: expected.source,
        coverage_state: expected.coverage,
        gap_amount: amount(expected.gap),
      })
      expect(await studio.get('items', id)).toMatchObject({ coverage_state: expected.coverage })
    }),
    { numRuns: 40 * deeper },
  )
})
