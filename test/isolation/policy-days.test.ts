import { afterAll, describe, expect, it } from 'vitest'
import { parsed, type Studio, useSql } from '../sql/support.ts'

const sql = useSql()
afterAll(() => sql.startClock())

/** Days on studios' own calendars: the moments they begin and end, the second being the next day's first. */
const days = [
  { what: 'an ordinary day', zone: 'UTC', day: '2026-06-01', from: '2026-06-01T00:00:00Z', to: '2026-06-02T00:00:00Z' },
  {
    what: 'a day of 23 hours',
    zone: 'Europe/Berlin',
    day: '2026-03-29',
    from: '2026-03-28T23:00:00Z',
    to: '2026-03-29T22:00:00Z',
  },
  {
    what: 'a day of 25 hours',
    zone: 'Europe/Berlin',
    day: '2026-10-25',
    from: '2026-10-24T22:00:00Z',
    to: '2026-10-25T23:00:00Z',
  },
  {
    what: 'a day without a midnight',
    zone: 'Asia/Beirut',
    day: '2025-03-30',
    from: '2025-03-29T22:00:00Z',
    to: '2025-03-30T21:00:00Z',
  },
  {
    what: 'a day with two midnights',
    zone: 'America/Havana',
    day: '2025-11-02',
    from: '2025-11-02T04:00:00Z',
    to: '2025-11-03T05:00:00Z',
  },
  {
    what: 'a day that begins 14 hours early',
    zone: 'Pacific/Kiritimati',
    day: '2024-02-29',
    from: '2024-02-28T10:00:00Z',
    to: '2024-02-29T10:00:00Z',
  },
  {
    what: 'a day that begins 11 hours late',
    zone: 'Pacific/Pago_Pago',
    day: '2024-02-29',
    from: '2024-02-29T11:00:00Z',
    to: '2024-03-01T11:00:00Z',
  },
  {
    what: 'the day after one that never was',
    zone: 'Pacific/Apia',
    day: '2011-12-31',
    from: '2011-12-30T10:00:00Z',
    to: '2011-12-31T10:00:00Z',
  },
]

describe.each(days)('on $what ($zone, $day)', ({ zone, day, from, to }) => {
  it('a policy of that one day is active from its first moment to its last', async () => {
    const studio = await sql.studio({ timezone: zone })
    await studio.add('policies', { name: 'One day', effective_start: day, effective_end: day })
    await studio.add('policies', { name: 'From that day', effective_start: day })
    await studio.add('policies', { name: 'To that day', effective_start: '1990-01-01', effective_end: day })
    await studio.add('policies', {
      name: 'To the day before',
      effective_start: '1990-01-01',
      effective_end: dayBefore(day),
    })
    await studio.add('policies', { name: 'No start' })

    const [earlier, during, later] = [
      ['To that day', 'To the day before'],
      ['From that day', 'One day', 'To that day'],
      ['From that day'],
    ]
    // The day before 31 December 2011 in Samoa is the 29th.
    const last = zone === 'Pacific/Apia' ? '2011-12-29' : dayBefore(day)
    expect(await activeAt(studio, just(from, -1))).toEqual({ today: last, names: earlier })
    expect(await activeAt(studio, from)).toEqual({ today: day, names: during })
    expect(await activeAt(studio, just(to, -1))).toEqual({ today: day, names: during })
    expect((await activeAt(studio, to)).names).toEqual(later)
  })
})

/** The policies that are active at a moment: as the service lists and counts them, and as analysts see them. */
async function activeAt(studio: Studio, moment: string): Promise<{ today: string; names: string[] }> {
  await sql.stopClock(moment)
  const answer = await studio.ask('list_policies', 1, 50, null)
  const names = parsed<{ name: string }>(answer)
    .map((policy) => policy.name)
    .sort()
  expect(answer.total).toBe(String(names.length))

  const session = await sql.connect('studio_graphql')
  await session.rows(`select set_config('studio.id', $1, false)`, [studio.id])
  const seen = await session.rows<{ name: string }>('select name from api_v1.policies where active order by name')
  expect(seen.map((policy) => policy.name)).toEqual(names)

  return { today: await sql.owner.value('select access.studio_today($1)::text', [studio.id]), names }
}

function just(moment: string, milliseconds: number): string {
  return new Date(Date.parse(moment) + milliseconds).toISOString()
}

function dayBefore(day: string): string {
  return just(`${day}T00:00:00Z`, -86_400_000).slice(0, 10)
}
