import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
beforeEach(() => sql.startClock())
afterAll(() => sql.startClock())

const firstMoment = async (day: string, zone: string) =>
  new Date(await sql.owner.value<string>('select access.first_moment($1, $2)', [day, zone])).toISOString()

describe('the first moment of a day', () => {
  test.each([
    ['of two midnights the first', '2026-10-25', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
    ['one o’clock where clocks skip midnight', '2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
  ])('%s', async (_, day, zone, moment) => {
    expect(await firstMoment(day, zone)).toBe(moment)
  })

  test('is the first with that date, in every time zone, around every change of clocks', async () => {
    // Two days away from a change a day is as long as any other, so one of each month is enough.
    const [days] = await sql.owner.rows<{ changes: number; wrong: string[] }>(`
      with days as materialized (
        select z.name, d.day::date as day
        from pg_timezone_names z, generate_series(timestamp '2026-01-01', '2026-12-31', '1 day') as d (day)
        where z.name !~ '^posix' and (extract(day from d.day) = 1 or
          (d.day + interval '3 days') at time zone z.name - (d.day - interval '2 days') at time zone z.name <> interval '5 days')
      )
      select count(*) filter (where extract(day from day) > 1)::int as changes,
        array_agg(name || ' ' || day) filter (where
          (access.first_moment(day, name) at time zone name)::date <> day
          or ((access.first_moment(day, name) - interval '1 millisecond') at time zone name)::date >= day) as wrong
      from days`)
    expect(days?.wrong).toBeNull()
    expect(days?.changes).toBeGreaterThan(1_000)
  }, 120_000)
})

test('a policy ends and another begins in their lists and in the removals at once, where there are two midnights', async () => {
  await sql.stopClock('2026-10-24T12:00:00Z')
  const studio = await sql.studio({ timezone: 'Atlantic/Azores' })
  const ending = await studio.add('policies', { effective_start: '2026-01-01', effective_end: '2026-10-24' })
  const beginning = await studio.add('policies', { effective_start: '2026-10-25' })
  for (const [moment, listed, removed] of [
    ['2026-10-24T23:59:59.999Z', [ending], []],
    ['2026-10-25T00:00:00Z', [beginning], [ending]],
    ['2026-10-25T01:00:00Z', [beginning], [ending]],
  ] as const) {
    await sql.stopClock(moment)
    const ids = async (operation: string, since: string | null) =>
      parsed<{ id: string }>(await studio.ask(operation, 1, 10, since)).map(({ id }) => id)
    expect(await ids('list_policies', null), moment).toEqual(listed)
    expect(await ids('list_removals', null), moment).toEqual(removed)
  }
  const [removal] = parsed<{ removed_at: string }>(await studio.ask('list_removals', 1, 10, null))
  expect(removal?.removed_at).toBe('2026-10-25T00:00:00.000Z')
})

describe('the period of a subscription', () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await sql.studio({ timezone: 'Europe/Berlin' })
  })

  type Given = { status?: string; start?: string; end?: string; renews?: string }
  const set = ({ status = 'active', start, end, renews }: Given) =>
    sql.owner.rows(`select access.set_subscription($1, 'studio', $2, null, $3, $4, $5)`, [
      ...[studio.id, status, start, end, renews],
    ])
  /** The period at a moment, in the studio's own time; of whole days, as such. */
  async function periodAt(moment: string): Promise<string> {
    await sql.stopClock(moment)
    const period = await sql.owner.value(
      `select concat_ws(' to ', p.period_start at time zone 'Europe/Berlin', p.period_end at time zone 'Europe/Berlin')
       from access.subscriptions s, access.current_period(s, 'Europe/Berlin') p where s.studio_id = $1`,
      [studio.id],
    )
    return period.replaceAll(' 00:00:00', '')
  }

  const monthly = { start: '2026-01-09T23:00:00Z', end: '2026-02-09T23:00:00Z', renews: 'month' }
  const yearly = { start: '2024-02-28T23:00:00Z', end: '2025-02-27T23:00:00Z', renews: 'year' }
  const { renews: _, ...once } = monthly
  test.each<[what: string, Given, moment: string, period: string]>([
    ['by the month, in the first', monthly, '2026-02-09T22:59:59Z', '2026-01-10 to 2026-02-10'],
    ['by the month, in the second', monthly, '2026-02-09T23:00:00Z', '2026-02-10 to 2026-03-10'],
    ['by the month, after years', monthly, '2031-01-09T12:00:00Z', '2030-12-10 to 2031-01-10'],
    [
      'of a canceled plan is the one that was paid',
      { ...monthly, status: 'canceled' },
      '2026-06-01',
      '2026-01-10 to 2026-02-10',
    ],
    ['by the year, in a later one', yearly, '2027-12-31T12:00:00Z', '2027-02-28 to 2028-02-29'],
    [
      'of a plan that does not renew is what was set, also when it has passed',
      once,
      '2027-01-01',
      '2026-01-10 to 2026-02-10',
    ],
    ['of a plan without dates is none', {}, '2026-01-01', ''],
  ])('%s', async (_what, given, moment, period) => {
    await set(given)
    expect(await periodAt(moment)).toBe(period)
  })

  test('that began on the 31st ends with the last day of shorter months, and each period begins where one ended', async () => {
    await set({ start: '2026-01-30T23:00:00Z', end: '2026-02-27T23:00:00Z', renews: 'month' })
    const days = ['2026-02-15', '2026-02-28', '2026-03-30', '2026-03-31', '2026-04-30', '2026-05-31', '2028-02-29']
    const periods: string[] = []
    for (const day of days) periods.push(await periodAt(`${day}T12:00:00Z`))
    expect(periods).toEqual([
      ...['2026-01-31 to 2026-02-28', '2026-02-28 to 2026-03-31', '2026-02-28 to 2026-03-31'],
      ...['2026-03-31 to 2026-04-30', '2026-04-30 to 2026-05-31', '2026-05-31 to 2026-06-30'],
      '2028-02-29 to 2028-03-31',
    ])
  })

  test('without dates begins today, on the calendar of the studio', async () => {
    await sql.stopClock('2026-05-31T22:30:00Z')
    await set({ renews: 'month' })
    expect(await periodAt('2026-05-31T22:30:00Z')).toBe('2026-06-01 to 2026-07-01')
  })
})
