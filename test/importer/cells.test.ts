import { describe, expect, test } from 'vitest'
import * as cells from '../../src/importer/cells.ts'

/** What PostgreSQL gets, or what is wrong and what would be right. */
function read(cell: cells.Cell, text: string): string {
  const result = cell.schema.safeParse(text)
  if (result.success) return result.data
  const [issue] = result.error.issues
  return `${issue?.message}; ${issue?.code === 'custom' ? issue.params?.remedy : ''}`
}

describe('amounts', () => {
  test.each(['0', '0.5', '12', '12.5', '1234.50', ' 7 ', '0012.30', '999999999999.99'])('%j is read', (text) => {
    expect(read(cells.amount, text)).toBe(text.trim())
  })

  test.each([
    ['1.234,50', 'has a decimal comma; write 1234.50'],
    ['€ 1 234,5', 'has a decimal comma; write 1234.5'],
    ['1,234', 'has a separator or a currency in it; write 1234'],
    ["1'234.50 EUR", 'has a separator or a currency in it; write 1234.50'],
    ['1.234', 'is not an amount; write a number such as 1234.50'],
    ['1,2345', 'has more than two decimals; round it to cents'],
    ['0.001', 'has more than two decimals; round it to cents'],
    ['0,001', 'has more than two decimals; round it to cents'],
    ['-5', 'is negative; write an amount of 0 or more'],
    ['1.2E+05', 'was shortened by the spreadsheet; format the column as a number and write all digits'],
    ['1000000000000', 'is too large; the largest amount is 999999999999.99'],
    ['NaN', 'is not an amount; write a number such as 1234.50'],
    ['١٢', 'is not an amount; write a number such as 1234.50'],
  ])('%j is refused and not guessed', (text, says) => {
    expect(read(cells.amount, text)).toBe(says)
  })

  test.each([
    [0, '2777', '2777'],
    [0, '12000.00', '12000.00'],
    [0, '2777.75', 'has decimals, and the currency has none; round it to whole units'],
    [0, '2.777', 'is not an amount; write a number such as 1235'],
    [3, '1250.375', '1250.375'],
    [3, '1,250', 'has a comma in it; write 1250 or 1.250'],
    [3, '1250.3755', 'has more than three decimals; round it to three'],
    [3, '1000000000000', 'is too large; the largest amount is 999999999999.999'],
  ])('in a currency with %i decimals %j is %j', (decimals, text, says) => {
    expect(read(cells.amountOf(decimals), text)).toBe(says)
  })
})

describe('dates', () => {
  test.each(['2024-02-29', '0001-01-01', '9999-12-31', ' 2024-12-31 '])('%j is read', (text) => {
    expect(read(cells.day, text)).toBe(text.trim())
  })

  test.each([
    ['31/12/2024', 'is not an ISO date; write 2024-12-31'],
    ['1.2.2024', 'is not an ISO date; write 2024-02-01 or 2024-01-02'],
    ['31/12/24', 'is not an ISO date; write YYYY-MM-DD, such as 2024-12-31'],
    ['2023-02-29', 'is not a day of the calendar; correct the day'],
    ['2024-12-31T00:00:00', 'has a time; write 2024-12-31'],
    ['45657', "is the spreadsheet's number of a day; format the column as a date, YYYY-MM-DD"],
    ['today', 'is not an ISO date; write YYYY-MM-DD, such as 2024-12-31'],
  ])('%j is refused', (text, says) => {
    expect(read(cells.day, text)).toBe(says)
  })

  test.each([
    ['2024-06-30', '2024-06-30T00:00:00.000'],
    ['2024-06-30T12:30:00+02:00', '2024-06-30T10:30:00.000Z'],
    ['2024-06-30 12:30:00 +02:00', '2024-06-30T10:30:00.000Z'],
    ['2024-06-30 12:30 UTC', '2024-06-30T12:30:00.000Z'],
    ['2024-06-30 12:30', '2024-06-30T12:30:00.000'],
    ['2024-06-31', 'is not an ISO 8601 timestamp; write one such as 2024-12-31T23:59:59Z'],
    ['now', 'is not an ISO 8601 timestamp; write one such as 2024-12-31T23:59:59Z'],
  ])('the moment %j is %j', (text, value) => {
    expect(read(cells.instant, text)).toBe(value)
  })
})

test.each([
  ...[true, false].flatMap((is) => (is ? ['TRUE', 'Yes', ' 1 '] : ['false', 'no', '0']).map((text) => [text, `${is}`])),
  ...['y', 'oui', '2'].map((text) => [text, 'is neither yes nor no; write true, false, yes, no, 1 or 0']),
])('yes or no: %j is %s', (text = '', value) => {
  expect(read(cells.yesNo, text)).toBe(value)
})

test.each([
  ...[
    ['TRUE', 'yes'],
    ['Yes', 'yes'],
    [' 0', 'no'],
    ['no', 'no'],
    ['Floor ', 'floor'],
  ],
  ['rest', 'is not yes, no or floor; write yes, no or floor'],
])('yes, no or floor: %j is %s', (text = '', value) => {
  expect(read(cells.yesNoOr('floor'), text)).toBe(value)
})

test.each([
  ['a|b', '{"a","b"}'],
  ['a;b ; c d ', '{"a","b","c d"}'],
  ['a,b', '{"a,b"}'],
  ['a\\|b|c\\;d|e\\\\', '{"a|b","c;d","e\\\\"}'],
  ['say "hi"|{x}|null', '{"say \\"hi\\"","{x}","null"}'],
  ['|', '{}'],
])('the list %j is %s', (text, value) => {
  expect(read(cells.list, text)).toBe(value)
})

test.each([
  ['60', '60'],
  ['0', 'is not a whole number above 0; write a number of months such as 60'],
  ['2147483648', 'is not a whole number above 0; write a number of months such as 60'],
])('%j months are %j', (text, value) => {
  expect(read(cells.months, text)).toBe(value)
})

test("a vocabulary's value may be in any case; another value is refused with the nearest", () => {
  const category = cells.oneOf(['Microphones', 'Outboard — Dynamics & EQ', 'Other / Uncategorised'])
  expect(read(category, ' mICROPHONES ')).toBe('Microphones')
  expect(read(category, 'outboard — dynamics & eq')).toBe('Outboard — Dynamics & EQ')
  expect(read(category, 'Outboard - Dynamics & EQ')).toBe(
    'is not one of the values; the nearest is Outboard — Dynamics & EQ',
  )
  expect(read(category, 'Other / Uncategorized')).toBe('is not one of the values; the nearest is Other / Uncategorised')
})

test('digits that a spreadsheet has shortened are refused', () => {
  const says = 'was shortened by the spreadsheet; format the column as text and write all digits'
  expect(read(cells.digits, '4.00638E+12')).toBe(says)
  expect(read(cells.digits, '4,00638E+12')).toBe(says)
  expect(read(cells.key, '1E+05')).toBe(says)
  expect(read(cells.digits, '4006381333931')).toBe('4006381333931')
  expect(read(cells.digits, 'E+12')).toBe('E+12')
})

test('a key is on one line, not too long, and the blanks around it do not count', () => {
  expect(read(cells.key, '  MIC-001 ')).toBe('MIC-001')
  expect(read(cells.key, 'a\nb')).toBe('has a line break or a tab in it; write it on one line')
  expect(read(cells.key, 'x'.repeat(200))).toHaveLength(200)
  expect(read(cells.key, 'x'.repeat(201))).toBe('is longer than 200 characters; give a shorter key')
})

test.each([
  ['gb', 'GB'],
  ['UK1', 'is not a country code; write the two letters of ISO 3166-1, such as DE'],
])('the country %j is %j', (text, value) => {
  expect(read(cells.countryCode, text)).toBe(value)
})
