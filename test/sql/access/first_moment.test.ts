import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parsed, useSql } from '../support.ts'

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
        from pg_timezone_names z, generate_series(timestamp '2026-01-01', '2027-12-31', '1 day') as d (day)
        where z.name !~ '^posix' and (extract(day from d.day) = 1 or
          (d.day + interval '3 days') at time zone z.name - (d.day - interval '2 days') at time zone z.name <> interval '5 days')
      )
      select count(*) filter (where extract(day from day) > 1)::int as changes,
        array_agg(name || ' ' || day) filter (where
          (access.first_moment(day, name) at time zone name)::date <> day
          or ((access.first_moment(day, name) - interval '1 millisecond') at time zone name)::date >= day) as wrong
      from days`)
    expect(days?.wrong).toBeNull()
    expect(days?.changes).toBeGreaterThan(2_000)
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
