import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalInstant } from '../../src/domain/dates.ts'
import { deeper } from '../support/depth.ts'

const accepted: [text: string, instant: string][] = [
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['20240229', '2024-02-29T00:00:00.000Z'],
  ['2020-W53-5', '2021-01-01T00:00:00.000Z'],
  ['2024-W01-1T06:00+06', '2024-01-01T00:00:00.000Z'],
  ['2024-03-01t12:30:45z', '2024-03-01T12:30:45.000Z'],
  ['20240301T123045Z', '2024-03-01T12:30:45.000Z'],
  ['2024-03-01T12:30', '2024-03-01T12:30:00.000Z'],
  ['2024-03-01T12', '2024-03-01T12:00:00.000Z'],
  [`2024-03-01T00:00:00.${'0'.repeat(400)}1Z`, '2024-03-01T00:00:00.001Z'],
  ['2024-03-01T12:30.5Z', '2024-03-01T12:30:30.000Z'],
  ['2024-03-01T12,25Z', '2024-03-01T12:15:00.000Z'],
  ['2024-12-31T24:00:00Z', '2025-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:60.9999Z', '2017-01-01T00:00:01.000Z'],
  ['2017-01-01T05:29:60+05:30', '2017-01-01T00:00:00.000Z'],
  ['2024-03-01T00:00:00-00:00', '2024-03-01T00:00:00.000Z'],
  ['0000-01-01', '0001-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00+14:00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T24:00:00-12:00', '9999-12-31T23:59:59.999Z'],
]

const refused = [
  ...['', 'now', 'epoch', 'infinity', '2024', '2024-03', '1709251200', '2024-13-01', '2024-02-30'],
  ...['2023-02-29', '1900-02-29', '2024-000', '2024-W53-1', '2024-W01-0', '2024-0301', '2024-W094'],
  ...['10000-01-01', '-0001-01-01', '2024-3-1', 'Fri, 01 Mar 2024 00:00:00 GMT', '2024-03-01 12:30:45'],
  ...['2024-03-01T', '2024-03-01Z', '2024-03-01T24:00:01Z', '2023-02-29T00:00:00.000Z'],
  ...['2024-03-01T24:00:00.0000000001Z', '2024-03-01T25:00:00Z', '2024-03-01T12:30:61Z'],
  ...['2024-03-01T12:30:60Z', '2024-03-01T23:59:60+01:00', '2024-03-01T123045Z'],
  ...['2024-03-01T12:30:45+24:00', '2024-03-01T12:30:45+02:60', '2024-03-01T12:30:45+2'],
  ...['2024-03-01T12:30:45 +02:00', ' 2024-03-01T12:30:45Z', '2024-03-01T12:30:45Z\n'],
  ...['2024-03-01T12:30:45\0', '2024-03-01T12:30:45[Europe/Berlin]', '٢٠٢٤-٠٣-٠١'],
]

describe('canonicalInstant', () => {
  test.each(accepted)('reads %s', (text, instant) => {
    expect(canonicalInstant(text)).toBe(instant)
  })

  test.each(refused)('refuses %j', (text) => {
    expect(canonicalInstant(text)).toBeNull()
  })

  const instants = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  })

  test('gives back every instant that it wrote itself', () => {
    fc.assert(
      fc.property(instants, (date) => {
        const text = date.toISOString()
        expect(canonicalInstant(text)).toBe(text)
        expect(canonicalInstant(text.replaceAll(/[-:]/g, ''))).toBe(text)
      }),
    )
  })

  test('names the same instant in every offset', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), fc.constantFrom(':', ''), (date, minutes, colon) => {
        const local = new Date(date.getTime() + minutes * 60_000)
        fc.pre(local.getUTCFullYear() >= 1 && local.getUTCFullYear() <= 9999)
        const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
        const offset = `${minutes < 0 ? '-' : '+'}${two(hour)}${colon}${two(minute)}`
        const text = local.toISOString().replace('Z', offset)
        expect(canonicalInstant(text)).toBe(date.toISOString())
        expect(canonicalInstant(text.replace('+', ' '))).toBe(date.toISOString())
      }),
    )
  })

  test('reads calendar, ordinal and week dates as the same day', () => {
    fc.assert(
      fc.property(instants, (date) => {
        const day = date.toISOString().slice(0, 10)
        const { ordinal, week } = otherForms(day)
        const midnight = `${day}T00:00:00.000Z`
        for (const form of [day, ordinal, week]) expect(canonicalInstant(form)).toBe(midnight)
      }),
    )
  })

  test('rounds a finer fraction up, so that "at or after" is exact against milliseconds', () => {
    fc.assert(
      fc.property(instants, fc.stringMatching(/^[0-9]{1,40}$/), fc.constantFrom('.', ','), (date, digits, mark) => {
        const second = Math.floor(date.getTime() / 1000) * 1000
        const text = `${new Date(second).toISOString().slice(0, 19)}${mark}${digits}Z`
        const milliseconds = Number(`${digits.padEnd(3, '0').slice(0, 3)}`) + (/[1-9]/.test(digits.slice(3)) ? 1 : 0)
        expect(canonicalInstant(text)).toBe(new Date(second + milliseconds).toISOString())
      }),
    )
  })

  test('never throws and never lets through a text that is not in its one form', () => {
    const likely = fc.stringMatching(/^[0-9TtZzW:.,+\- ]{0,30}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), likely), (text) => {
        const instant = canonicalInstant(text)
        if (instant !== null) expect(instant).toMatch(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }),
      { numRuns: 200 * deeper },
    )
  })
})

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** An independent count: day by day from the beginning of the year, and by the Thursday of the
 * week. */
function otherForms(day: string): { ordinal: string; week: string } {
  const date = new Date(`${day}T00:00:00Z`)
  const ordinalOf = (some: Date) =>
    Math.round((some.getTime() - Date.parse(`${some.toISOString().slice(0, 4)}-01-01T00:00:00Z`)) / 86_400_000) + 1
  const weekday = date.getUTCDay() || 7
  const thursday = new Date(date.getTime() + (4 - weekday) * 86_400_000)
  const week = Math.ceil(ordinalOf(thursday) / 7)
  return {
    ordinal: `${day.slice(0, 4)}-${String(ordinalOf(date)).padStart(3, '0')}`,
    week: `${thursday.toISOString().slice(0, 4)}-W${two(week)}-${weekday}`,
  }
}
