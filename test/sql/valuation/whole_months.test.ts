import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useSql } from '../support.ts'
import { day } from './arbitraries.ts'
import { iso, wholeMonths } from './exact.ts'

const sql = useSql()

const monthsOf = async (pairs: [from: string, to: string][]) => {
  const rows = await sql.owner.rows<{ months: number }>(
    `select valuation.whole_months(p.from_day, p.to_day) as months
     from unnest($1::date[], $2::date[]) with ordinality as p (from_day, to_day, n) order by p.n`,
    [pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])],
  )
  return rows.map((row) => row.months)
}

const cases: [from: string, to: string, months: number, why: string][] = [
  ['2026-01-15', '2026-02-14', 0, 'a day short of a month'],
  ['2025-01-31', '2025-02-27', 0, 'a day before the last of February'],
  ['2025-01-31', '2025-02-28', 1, 'the last of February stands in for the 31st'],
  ['2025-01-31', '2025-03-30', 1, 'March has a 31st of its own'],
  ['2024-02-29', '2028-02-28', 47, 'but not in the next leap year'],
  ['2024-02-29', '2028-02-29', 48, 'where it has a day of its own'],
  ['1900-02-28', '1900-03-01', 0, '1900 was no leap year'],
  ['2026-02-15', '2026-02-14', -1, 'a day into the future'],
  ['2026-02-28', '2026-01-31', -1, 'backwards from the end of February'],
  ['0001-01-01', '9999-12-31', 119987, 'as far as a calendar goes'],
]

test.each(cases)('from %s to %s it is %i: %s', async (from, to, months) => {
  expect(await monthsOf([[from, to]])).toEqual([months])
})

test('any two days are as many whole months apart as one counts month by month', async () => {
  const pairs = fc.sample(fc.tuple(day(1950, 2060), day(1950, 2060)), 3_000)
  const counted = await monthsOf(pairs.map(([from, to]) => [iso(from), iso(to)]))
  const wrong = pairs.filter(([from, to], n) => counted[n] !== wholeMonths(from, to))
  expect(wrong).toEqual([])
})
