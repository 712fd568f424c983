import { expect, test } from 'vitest'
import * as cells from '../../src/importer/cells.ts'

const named = {
  ...{ amount: cells.amount, day: cells.day, moment: cells.instant, list: cells.list, months: cells.months },
  ...{ digits: cells.digits, key: cells.key, country: cells.countryCode, 'yes or no': cells.yesNo },
  'amount without decimals': cells.amountOf(0),
  'amount of three decimals': cells.amountOf(3),
  'yes, no or floor': cells.yesNoOr('floor'),
  category: cells.oneOf(['Microphones', 'Outboard — Dynamics & EQ', 'Other / Uncategorised']),
}
type Row = [as: keyof typeof named, text: string, says: string]

const noAmount = 'is not an amount; write a number such as 1234.50'
const places = 'has more than two decimals; round it to cents'
const noMoment = 'is not an ISO 8601 timestamp; write one such as 2024-12-31T23:59:59Z'
const noMonths = 'is not a whole number above 0; write a number of months such as 60'
const neither = 'is neither yes nor no; write true, false, yes, no, 1 or 0'
const shortened = 'was shortened by the spreadsheet; format the column as text and write all digits'
const all = (as: Row[0], says: string, ...texts: string[]) => texts.map((text): Row => [as, text, says])
const kept = (as: Row[0], ...texts: string[]) => texts.map((text): Row => [as, text, text.trim()])

// What PostgreSQL gets, or what is wrong and what would be right.
test.each<Row>([
  ...kept('amount', '0', '0.5', '1234.50', ' 7 ', '0012.30', '999999999999.99'),
  ['amount', '1.234,50', 'has a decimal comma; write 1234.50'],
  ['amount', '€ 1 234,5', 'has a decimal comma; write 1234.5'],
  ['amount', '1,234', 'has a separator or a currency in it; write 1234'],
  ['amount', "1'234.50 EUR", 'has a separator or a currency in it; write 1234.50'],
  ...all('amount', noAmount, '1.234', 'NaN', '١٢'),
  ...all('amount', places, '1,2345', '0.001', '0,001'),
  ['amount', '-5', 'is negative; write an amount of 0 or more'],
  ['amount', '1.2E+05', 'was shortened by the spreadsheet; format the column as a number and write all digits'],
  ['amount', '1000000000000', 'is too large; the largest amount is 999999999999.99'],
  ...kept('amount without decimals', '2777', '12000.00'),
  ['amount without decimals', '2777.75', 'has decimals, and the currency has none; round it to whole units'],
  ['amount without decimals', '2.777', 'is not an amount; write a number such as 1235'],
  ...kept('amount of three decimals', '1250.375'),
  ['amount of three decimals', '1,250', 'has a comma in it; write 1250 or 1.250'],
  ['amount of three decimals', '1250.3755', 'has more than three decimals; round it to three'],
  ['amount of three decimals', '1000000000000', 'is too large; the largest amount is 999999999999.999'],
  ...kept('day', '2024-02-29', '0001-01-01', '9999-12-31', ' 2024-12-31 '),
  ['day', '31/12/2024', 'is not an ISO date; write 2024-12-31'],
  ['day', '1.2.2024', 'is not an ISO date; write 2024-02-01 or 2024-01-02'],
  ...all('day', 'is not an ISO date; write YYYY-MM-DD, such as 2024-12-31', '31/12/24', 'today'),
  ['day', '2023-02-29', 'is not a day of the calendar; correct the day'],
  ['day', '2024-12-31T00:00:00', 'has a time; write 2024-12-31'],
  ['day', '45657', "is the spreadsheet's number of a day; format the column as a date, YYYY-MM-DD"],
  ['moment', '2024-06-30', '2024-06-30T00:00:00.000'],
  ['moment', '2024-06-30T12:30:00+02:00', '2024-06-30T10:30:00.000Z'],
  ['moment', '2024-06-30 12:30:00 +02:00', '2024-06-30T10:30:00.000Z'],
  ['moment', '2024-06-30 12:30 UTC', '2024-06-30T12:30:00.000Z'],
  ['moment', '2024-06-30 12:30', '2024-06-30T12:30:00.000'],
  ...all('moment', noMoment, '2024-06-31', 'now'),
  ...all('yes or no', 'true', 'TRUE', 'Yes', ' 1 '),
  ...all('yes or no', 'false', 'false', 'no', '0'),
  ...all('yes or no', neither, 'y', 'oui', '2'),
  ...all('yes, no or floor', 'yes', 'TRUE', 'Yes'),
  ...all('yes, no or floor', 'no', ' 0', 'no'),
  ['yes, no or floor', 'Floor ', 'floor'],
  ['yes, no or floor', 'rest', 'is not yes, no or floor; write yes, no or floor'],
  ['list', 'a|b', '{"a","b"}'],
  ['list', 'a;b ; c d ', '{"a","b","c d"}'],
  ['list', 'a,b', '{"a,b"}'],
  ['list', 'a\\|b|c\\;d|e\\\\', '{"a|b","c;d","e\\\\"}'],
  ['list', 'say "hi"|{x}|null', '{"say \\"hi\\"","{x}","null"}'],
  ['list', '|', '{}'],
  ...kept('months', '60'),
  ...all('months', noMonths, '0', '2147483648'),
  ['category', ' mICROPHONES ', 'Microphones'],
  ['category', 'outboard — dynamics & eq', 'Outboard — Dynamics & EQ'],
  ['category', 'Outboard - Dynamics & EQ', 'is not one of the values; the nearest is Outboard — Dynamics & EQ'],
  ['category', 'Other / Uncategorized', 'is not one of the values; the nearest is Other / Uncategorised'],
  ...all('digits', shortened, '4.00638E+12', '4,00638E+12'),
  ...kept('digits', '4006381333931', 'E+12'),
  ...kept('key', '  MIC-001 ', 'x'.repeat(200)),
  ['key', '1E+05', shortened],
  ['key', 'a\nb', 'has a line break or a tab in it; write it on one line'],
  ['key', 'x'.repeat(201), 'is longer than 200 characters; give a shorter key'],
  ['country', 'gb', 'GB'],
  ['country', 'UK1', 'is not a country code; write the two letters of ISO 3166-1, such as DE'],
])('as %s %j is %j', (as, text, says) => {
  const { success, data, error } = named[as].schema.safeParse(text)
  const issue = error?.issues[0]
  expect(success ? data : `${issue?.message}; ${issue?.code === 'custom' ? issue.params?.remedy : ''}`).toBe(says)
})
