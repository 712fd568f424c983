import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { valued } from './exact.ts'

const sql = useSql()

const sourceOf = (...values: (string | null)[]) =>
  sql.owner.value(`select valuation.value_source($1, $2, $3, $4, $5)`, values)

const order: [source: string, values: (string | null)[]][] = [
  ['market', ['1', '2', '3', '4', '5']],
  ['manual', [null, '2', '3', '4', '5']],
  ['depreciated', [null, null, '3', '4', '5']],
  ['purchase_price', [null, null, null, '4', '5']],
  ['replacement_cost', [null, null, null, '0', '5']],
  ['unknown', [null, null, null, '0', null]],
]

test.each(order)('the first available value is taken: %s', async (source, values) => {
  expect(await sourceOf(...values)).toBe(source)
})

test.each([
  ['market', ['0', '2', '3', '4', '5']],
  ['manual', [null, '0', '3', '4', '5']],
  ['depreciated', [null, null, '0', '4', '5']],
  ['replacement_cost', [null, null, null, '0', '0']],
])('a value of nothing counts as available: %s', async (source, values) => {
  expect(await sourceOf(...(values as (string | null)[]))).toBe(source)
})

test('a purchase price counts only when something was paid', async () => {
  expect(await sourceOf(null, null, null, '0.01', '5')).toBe('purchase_price')
  expect(await sourceOf(null, null, null, '0.00', '5')).toBe('replacement_cost')
})

test('whatever is available, the source is the one the rule says, and agreed never', async () => {
  const value = fc.option(fc.constantFrom('0', '0.01', '100'))
  const price = fc.constantFrom('0', '0.01', '100')
  await fc.assert(
    fc.asyncProperty(value, value, value, price, value, async (market, manual, depreciated, paid, replacement) => {
      const source = await sourceOf(market, manual, depreciated, paid, replacement)
      const known = (text: string | null) => (text === null ? null : BigInt(Math.round(Number(text) * 100)))
      const expected = valued({
        method: 'none',
        months: null,
        life: 1,
        residual: 0n,
        insured: 0n,
        price: known(paid) ?? 0n,
        market: known(market),
        // a depreciated value ranks directly behind a manual one
        manual: known(manual) ?? known(depreciated),
        replacement: known(replacement),
      }).source
      expect(source).toBe(expected === 'manual' && manual === null ? 'depreciated' : expected)
      expect(source).not.toBe('agreed')
    }),
    { numRuns: 300 },
  )
})
