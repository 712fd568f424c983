import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
beforeEach(async () => {
  studio = await sql.studio()
  await sql.owner.rows(`update app.studios set timezone = 'Europe/Berlin' where id = $1`, [studio.id])
})
afterAll(() => sql.startClock())

type Given = { status?: string; start: string | null; end: string | null; renews: string | null }
const set = ({ status = 'active', start, end, renews }: Given) =>
  sql.owner.rows(`select access.set_subscription($1, 'studio', $2, null, $3, $4, $5)`, [
    ...[studio.id, status, start, end, renews],
  ])

/** The period at a moment, in the studio's own time. */
async function periodAt(moment: string): Promise<[string | null, string | null]> {
  await sql.stopClock(moment)
  const { period_start: start, period_end: end } = await sql.owner.row<Record<string, string | null>>(
    `select (p.period_start at time zone 'Europe/Berlin')::text as period_start,
       (p.period_end at time zone 'Europe/Berlin')::text as period_end
     from access.subscriptions s, access.current_period(s, 'Europe/Berlin') p where s.studio_id = $1`,
    [studio.id],
  )
  return [start ?? null, end ?? null]
}

describe('a subscription that renews each month', () => {
  test.each([
    ['2026-02-09T22:59:59Z', '2026-01-10 00:00:00', '2026-02-10 00:00:00'],
    ['2026-02-09T23:00:00Z', '2026-02-10 00:00:00', '2026-03-10 00:00:00'],
    ['2031-01-09T12:00:00Z', '2030-12-10 00:00:00', '2031-01-10 00:00:00'],
  ])('has at %s the period from %s to %s', async (moment, start, end) => {
    await set({ start: '2026-01-09T23:00:00Z', end: '2026-02-09T23:00:00Z', renews: 'month' })
    expect(await periodAt(moment)).toEqual([start, end])
  })

  test('that began on the 31st ends with the last day of shorter months, and each period begins where one ended', async () => {
    await set({ start: '2026-01-30T23:00:00Z', end: '2026-02-27T23:00:00Z', renews: 'month' })
    const days = ['2026-02-15', '2026-02-28', '2026-03-30', '2026-03-31', '2026-04-30', '2026-05-31', '2028-02-29']
    const periods: [string | null, string | null][] = []
    for (const day of days) periods.push(await periodAt(`${day}T12:00:00Z`))
    expect(periods.map(([start]) => start?.slice(0, 10))).toEqual([
      ...['2026-01-31', '2026-02-28', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2028-02-29'],
    ])
    for (const [index, [start, end]] of periods.entries()) {
      expect(String(start) <= `${days[index]} 12` && `${days[index]} 12` < String(end)).toBe(true)
    }
  })

  test('keeps the paid period when it is canceled', async () => {
    await set({ start: '2026-01-01', end: '2026-02-01', renews: 'month', status: 'canceled' })
    expect((await periodAt('2026-06-01T12:00:00Z'))[1]).toMatch(/^2026-02-01/)
  })
})

test('a subscription that renews each year moves on by years', async () => {
  await set({ start: '2024-02-28T23:00:00Z', end: '2025-02-27T23:00:00Z', renews: 'year' })
  expect(await periodAt('2025-02-27T12:00:00Z')).toEqual(['2024-02-29 00:00:00', '2025-02-28 00:00:00'])
  expect(await periodAt('2027-12-31T12:00:00Z')).toEqual(['2027-02-28 00:00:00', '2028-02-29 00:00:00'])
})

test('one that does not renew shows what was set, also when it has passed', async () => {
  await set({ start: '2020-01-01', end: '2020-02-01', renews: null })
  expect((await periodAt('2026-01-01T12:00:00Z'))[1]).toMatch(/^2020-02-01/)
  await set({ start: null, end: null, renews: null })
  expect(await periodAt('2026-01-01T12:00:00Z')).toEqual([null, null])
})

test('without dates the first period begins today, on the calendar of the studio', async () => {
  await sql.stopClock('2026-05-31T22:30:00Z')
  await set({ start: null, end: null, renews: 'month' })
  expect(await periodAt('2026-05-31T22:30:00Z')).toEqual(['2026-06-01 00:00:00', '2026-07-01 00:00:00'])
})
