import { describe, expect, test } from 'vitest'
import { calendarOf, canonical, isDateFormat } from '../../../src/importer/foreign/formats.ts'

/** The text, or what is wrong with it. */
function read(...args: Parameters<typeof canonical>): string {
  const found = canonical(...args)
  return typeof found === 'string' ? found : `! ${found.problem}; ${found.remedy}`
}

describe('dates in a format that is named', () => {
  test.each([
    ['dd/mm/yyyy', '01/02/2024', '2024-02-01'],
    ['mm/dd/yyyy', '01/02/2024', '2024-01-02'],
    ['DD.MM.YYYY', '1.2.2024', '2024-02-01'],
    ['yyyy/mm/dd', '2024/2/1', '2024-02-01'],
    ['dd/mm/yyyy', ' 28/08/2025 01:26PM ', '2025-08-28'],
    ['dd/mm/yyyy', '2024-02-01', '2024-02-01'],
    ['dd/mm/yyyy', '02/13/2024', '! is not a day of the calendar, read as dd/mm/yyyy; correct the day'],
    ['dd/mm/yyyy', '1.2.2024', '! is not a date dd/mm/yyyy; write 31/12/2024'],
    ['mm-dd-yyyy', '1-2-24', '! is not a date mm-dd-yyyy; write 12-31-2024'],
  ])('as %s %j is %s', (dates, text, says) => {
    expect(read(text, 'day', { dates })).toBe(says)
  })

  test.each([
    ['2023-01-23 00:00:00', '2023-01-23'],
    ['2023-01-23T23:30:00.000Z', '2023-01-24'],
    ['2023-01-23 01:30:00 -0500', '2023-01-23'],
    ['2023-01-23 22:59:59 UTC', '2023-01-23'],
    ['2023-01-23 25:00:00', '2023-01-23 25:00:00'],
    // The importer does not guess a format.
    ['13/12/2024', '13/12/2024', {}],
  ])(
    'without a format the time of %j is left out, and its zone is the studio’s: %s',
    (text, day, named = { dates: 'mm/dd/yyyy' }) => {
      const berlin = calendarOf('Europe/Berlin')
      expect(read(text, 'day', {}, berlin)).toBe(day)
      expect(read(text, 'day', named, berlin)).toBe(day)
      expect(read(text, 'moment', {}, berlin)).toBe(text)
    },
  )

  test.each([
    ['31/12/2024', '2024-12-31'],
    ['31/12/2024 10:05:09', '2024-12-31T10:05:09'],
    ['31/12/2024 1:05 PM', '2024-12-31T13:05'],
    ['31/12/2024 12:05am', '2024-12-31T00:05'],
  ])('hold for moments too, which keep their time: %j is %s', (text, moment) => {
    expect(read(text, 'moment', { dates: 'dd/mm/yyyy' })).toBe(moment)
  })

  test('hold for days and moments alone, and have each part once', () => {
    expect(read('13/12/2024', undefined, { dates: 'dd/mm/yyyy' })).toBe('13/12/2024')
    const formats = ['dd/mm/yyyy', 'dd/mm-yyyy', 'dd/dd/yyyy', 'dd/mm/yyy']
    expect(formats.map(isDateFormat)).toEqual([true, false, false, false])
  })
})

test.each([
  ['comma', '1234,5', '1234.5'],
  ['comma', '1 234 567,50', '1234567.50'],
  ['comma', "1'234", '1234'],
  ['point', '1,234.50', '1234.50'],
  ['point', '149.990000', '149.99'],
  ['comma', '1234.50', '! is not an amount with a decimal comma; write 1.234,50 or 1234,50'],
  ['point', '1.234,50', '! is not an amount with a decimal point; write 1,234.50 or 1234.50'],
  // The message of another check explains better what is wrong with these.
  ['comma', '€5', '€5'],
  ['point', '-1', '-1'],
] as const)('with a decimal %s %j is %s', (decimal, text, says) => {
  expect(read(text, 'amount', { decimal })).toBe(says)
})
