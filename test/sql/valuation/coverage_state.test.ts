import { expect, test } from 'vitest'
import { useSql } from '../support.ts'

const sql = useSql()

const cases: [estimated: string | null, insured: string, state: string][] = [
  [null, '0', 'value_unknown'],
  [null, '100', 'value_unknown'],
  ['100', '0', 'uninsured'],
  ['100', '0.00', 'uninsured'],
  ['0', '0', 'uninsured'],
  ['100', '0.01', 'under_covered'],
  ['100', '99.99', 'under_covered'],
  ['100', '100', 'fully_covered'],
  ['100', '100.01', 'fully_covered'],
  ['0', '0.01', 'fully_covered'],
  ['999999999999.99', '999999999999.98', 'under_covered'],
]

test.each(cases)('a value of %s insured for %s is %s', async (estimated, insured, state) => {
  expect(await sql.owner.value('select valuation.coverage_state($1, $2)', [estimated, insured])).toBe(state)
})

const gaps: [price: string, insured: string, gap: string | null][] = [
  ['100', '40', '60.00'],
  ['100', '100', '0.00'],
  ['100', '250.5', '-150.50'],
  ['999999999999.99', '0', '999999999999.99'],
  ['0.01', '999999999999.99', '-999999999999.98'],
  ['0', '40', null],
]

test.each(gaps)('the gap of a value of %s insured for %s is %s', async (purchase_price, insured, gap_amount) => {
  const studio = await sql.studio()
  const id = await studio.add('items', { purchase_price, reported_insured_value: insured })
  expect(await studio.valuation(id)).toMatchObject({ gap_amount })
})
