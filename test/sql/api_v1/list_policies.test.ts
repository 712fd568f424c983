import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeAll(() => sql.stopClock('2026-06-15T12:00:00Z'))
afterAll(() => sql.startClock())
beforeEach(async () => {
  studio = await sql.studio()
})

type Policy = { id: string; name: string; effective_start: string }

const list = async (page = 1, perPage = 50, since: string | null = null, of = studio) => {
  const answer = await of.ask('list_policies', page, perPage, since)
  return { ...answer, policies: parsed<Policy>(answer) }
}

describe('a policy is active', () => {
  const cases: [what: string, columns: Record<string, unknown>, active: boolean][] = [
    ['that started today', { effective_start: '2026-06-15' }, true],
    ['that started long ago and is open-ended', { effective_start: '1999-01-01' }, true],
    ['that starts tomorrow', { effective_start: '2026-06-16' }, false],
    ['on its last day', { effective_start: '2026-01-01', effective_end: '2026-06-15' }, true],
    ['a day after its last', { effective_start: '2026-01-01', effective_end: '2026-06-14' }, false],
    ['for one day, today', { effective_start: '2026-06-15', effective_end: '2026-06-15' }, true],
    ['without a start', { effective_start: null }, false],
    ['without a start, ending later', { effective_start: null, effective_end: '2027-01-01' }, false],
    ['that is archived', { effective_start: '2026-01-01', archived_at: '2026-02-01T00:00:00Z' }, false],
  ]

  test.each(cases)('%s: %j: %s', async (_what, columns, active) => {
    const id = await studio.add('policies', columns)
    const { policies, total } = await list()
    expect(policies.map((policy) => policy.id)).toEqual(active ? [id] : [])
    expect(total).toBe(active ? '1' : '0')
    // The detail knows every policy of the studio.
    expect(await studio.ask('get_policy', id)).toMatchObject({ status: 200 })
  })

  test('again when it is brought back from the archive', async () => {
    const id = await studio.add('policies', { effective_start: '2026-01-01', archived_at: '2026-02-01T00:00:00Z' })
    await studio.change('policies', id, { archived_at: null })
    expect((await list()).total).toBe('1')
  })
})

describe('today is the day on the studio’s own calendar', () => {
  const zones: [timezone: string, moment: string, today: string][] = [
    ['Pacific/Kiritimati', '2026-06-14T10:00:00Z', '2026-06-15'],
    ['Pacific/Kiritimati', '2026-06-14T09:59:59.999Z', '2026-06-14'],
    ['Pacific/Pago_Pago', '2026-06-15T10:59:59.999Z', '2026-06-14'],
    ['Pacific/Pago_Pago', '2026-06-15T11:00:00Z', '2026-06-15'],
    ['Asia/Kathmandu', '2026-06-14T18:15:00Z', '2026-06-15'],
    ['Asia/Kathmandu', '2026-06-14T18:14:59Z', '2026-06-14'],
    // The night in which the clocks go forward, and the one in which they go back
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'],
  ]

  test.each(zones)('in %s at %s it is %s', async (timezone, moment, today) => {
    await sql.stopClock(moment)
    const there = await sql.studio({ timezone })
    const day = (offset: number) => new Date(Date.parse(today) + offset * 86_400_000).toISOString().slice(0, 10)
    await there.add('policies', { name: 'ends today', effective_start: '2020-01-01', effective_end: day(0) })
    await there.add('policies', { name: 'ended yesterday', effective_start: '2020-01-01', effective_end: day(-1) })
    await there.add('policies', { name: 'starts today', effective_start: day(0) })
    await there.add('policies', { name: 'starts tomorrow', effective_start: day(1) })
    for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await sql.api.rows(`select set_config('timezone', $1, false)`, [zone])
      const { policies, total } = await list(1, 50, null, there)
      expect(policies.map((policy) => policy.name)).toEqual(['starts today', 'ends today'])
      expect(total).toBe('2')
    }
    await sql.api.rows('reset timezone')
    await sql.stopClock('2026-06-15T12:00:00Z')
  })
})

describe('the list', () => {
  test('is ordered by the day they started, the most recent first, ties by id descending', async () => {
    const starts = ['2026-01-01', '2025-01-01', '2026-01-01', '2026-03-01', '2026-01-01', '2024-06-01']
    for (const effective_start of starts) await studio.add('policies', { effective_start })
    const { policies } = await list()
    const sorted = [...policies].sort((a, b) =>
      `${a.effective_start}${a.id}` < `${b.effective_start}${b.id}` ? 1 : -1,
    )
    expect(policies.map((policy) => policy.id)).toEqual(sorted.map((policy) => policy.id))
    expect(policies).toHaveLength(6)
  })

  test('comes in pages that meet exactly', async () => {
    for (let n = 0; n < 7; n++) await studio.add('policies', { effective_start: n < 5 ? '2026-01-01' : '2026-02-02' })
    const all = (await list()).policies.map((policy) => policy.id)
    const paged: string[] = []
    for (const page of [1, 2, 3]) paged.push(...(await list(page, 3)).policies.map((policy) => policy.id))
    expect(paged).toEqual(all)
    expect(await list(4, 3)).toMatchObject({ status: 200, total: '7', data: '' })
    const beyond = await studio.ask('list_policies', Number.MAX_SAFE_INTEGER, 100, null)
    expect(beyond).toMatchObject({ status: 200, total: '7', data: '' })
  })

  test('knows updated_since, at or after it', async () => {
    const [old, newer] = [
      await studio.add('policies', { effective_start: '2026-01-01' }),
      await studio.add('policies', { effective_start: '2026-01-01' }),
    ]
    await studio.change('policies', newer, { carrier: 'x' })
    const moment = await studio.updatedAt('policies', newer)
    const since = async (at: number) =>
      (await list(1, 50, new Date(at).toISOString())).policies.map((policy) => policy.id)
    expect(await since(moment)).toEqual([newer])
    expect(await since(moment + 1)).toEqual([])
    expect((await since(0)).sort()).toEqual([old, newer].sort())
  })

  test('has exactly the fields of the contract: nothing that is never returned, and no count', async () => {
    const id = await studio.add('policies', {
      ...{ name: 'Floater', carrier: 'Atlas', policy_number: 'A-1', policy_type: 'equipment_floater' },
      ...{
        overall_limit: '100000',
        deductible: '500.5',
        covered_perils: ['fire', 'theft'],
        location_constraints: 'EU',
      },
      ...{ effective_start: '2026-01-01', effective_end: '2026-12-31', notes: 'SECRET' },
      ...{ owner_user_id: studio.owner, source_document_id: studio.owner },
    })
    expect((await list()).data).toBe(
      `{"id":"${id}","name":"Floater","carrier":"Atlas","policy_number":"A-1","policy_type":"equipment_floater",` +
        `"overall_limit":100000.00,"deductible":500.50,"covered_perils":["fire","theft"],"location_constraints":"EU",` +
        `"effective_start":"2026-01-01","effective_end":"2026-12-31","archived":false}`,
    )
  })

  test('is the studio’s own', async () => {
    const stranger = await sql.studio()
    await stranger.add('policies', { effective_start: '2026-01-01' })
    expect(await list()).toMatchObject({ total: '0', data: '' })
  })
})

test('a policy whose studio has moved to another time zone is dated by the new one', async () => {
  await sql.stopClock('2026-06-14T22:30:00Z')
  await studio.add('policies', { effective_start: '2026-06-15' })
  expect((await list()).total).toBe('0')
  await inStudio(sql.owner, studio, (s) =>
    s.rows(`update app.studios set timezone = 'Europe/Berlin' where id = $1`, [studio.id]),
  )
  expect((await list()).total).toBe('1')
  await sql.stopClock('2026-06-15T12:00:00Z')
})
