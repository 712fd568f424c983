import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'
import { removalsOf } from './removals.ts'

const sql = useSql()
let studio: Studio
const { removals, reasons, listed, remove } = removalsOf(sql, () => studio)

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

describe('a policy', () => {
  const noon = '2026-05-05T10:00:00Z' // in Berlin
  beforeEach(() => sql.stopClock(noon))
  afterEach(() => sql.startClock())

  const active = { effective_start: '2026-01-01' }
  /** The clock stands still, so that moments are compared with it: what leaves now does so at the real one. */
  const away = async (id: string, at?: string) => {
    await sql.stopClock(at ?? '2100-01-01T00:00:00Z')
    try {
      return (await reasons(id)).map((reason) => reason.replace('policy ', ''))
    } finally {
      await sql.stopClock(noon)
    }
  }

  test('is away when it is deleted, active or not', async () => {
    const ids = [
      await studio.add('policies', active),
      await studio.add('policies', { effective_start: '2999-01-01' }),
      await studio.add('policies', { ...active, effective_end: '2026-06-30' }),
    ]
    for (const id of ids) {
      await remove('policies', id)
      expect(await away(id)).toEqual(['deleted'])
    }
  })

  test('ends with its last day on the studio’s calendar: midnight in Berlin', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    for (const [moment, expected, shown] of [
      ['2026-05-05T21:59:59.999Z', [], [id]],
      ['2026-05-05T22:00:00Z', ['expired'], []],
    ] as const) {
      expect(await away(id, moment)).toEqual(expected)
      await sql.stopClock(moment)
      expect(await listed('list_policies')).toEqual(shown)
    }
    const [removal] = await removals()
    expect(removal).toEqual({ resource: 'policy', id, reason: 'expired', removed_at: '2026-05-05T22:00:00.000Z' })
  })

  test('that is prolonged before or after its end is back', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', id, { effective_end: '2026-05-06' })
    expect(await away(id, '2026-05-06T21:59:59Z')).toEqual([])
    expect(await away(id, '2026-05-06T22:00:00Z')).toEqual(['expired'])
    await sql.stopClock('2026-05-07T12:00:00Z')
    await studio.change('policies', id, { effective_end: null })
    expect(await reasons(id)).toEqual([])
    expect(await away(id)).toEqual([])
    await sql.stopClock('2026-05-07T12:00:00Z')
    expect(await listed('list_policies')).toEqual([id])
  })

  test('whose start is moved away is away until it begins; then a poll finds it', async () => {
    const id = await studio.add('policies', active)
    await studio.change('policies', id, { effective_start: '2026-12-24' })
    expect(await away(id, '2026-12-23T22:59:59.999Z')).toEqual(
      Date.now() < Date.parse('2026-12-23T22:59:59Z') ? ['not_started'] : [],
    )
    await sql.stopClock('2026-12-23T23:00:00Z')
    expect(await reasons(id)).toEqual([])
    expect(await listed('list_policies', '2026-12-23T23:00:00Z')).toEqual([id])
    expect(await listed('list_policies', '2026-12-23T23:00:00.001Z')).toEqual(
      (await studio.updatedAt('policies', id)) > Date.parse('2026-12-23T23:00:00.001Z') ? [id] : [],
    )
  })

  test('that is recorded before it begins shows since the midnight on which it does, whenever it was recorded', async () => {
    const id = await studio.add('policies', { effective_start: '2090-01-01' })
    await sql.stopClock('2089-12-31T22:59:59.999Z')
    expect(await listed('list_policies', '2026-01-01')).toEqual([])
    expect(await reasons(id)).toEqual([])
    await sql.stopClock('2089-12-31T23:00:00Z')
    expect(await listed('list_policies', '2089-12-31T23:00:00Z')).toEqual([id])
    expect(await listed('list_policies', '2089-12-31T23:00:00.001Z')).toEqual([])
    expect(await reasons(id)).toEqual([])
  })

  test('that is archived while it is open over midnight leaves by archiving and not by its date', async () => {
    const id = await studio.add('policies', { ...active, effective_end: '2026-05-05' })
    await studio.change('policies', id, { archived_at: new Date() })
    expect(await away(id)).toEqual(['archived'])
  })
})
