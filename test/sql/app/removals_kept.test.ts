import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Position } from '../../../src/api/cursors.ts'
import { askAfter, inStudio, parsed, type Session, type Studio, useSql } from '../support.ts'
import { type Removal, removalsOf } from './removals.ts'

const sql = useSql()
let studio: Studio
const { removals, reasons } = removalsOf(sql, () => studio)

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio({ timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

describe('what is known of removals', () => {
  const since = (moment: string) => sql.owner.rows('update app.sync_state set removals_since = $1', [moment])
  afterEach(() => since('2026-01-01T00:00:00Z'))

  test('reaches back to a moment; who asks since an earlier one is answered with 410', async () => {
    await since('2026-03-03T12:00:00Z')
    const status = async (moment: string | null) => (await studio.ask('list_removals', 1, 10, moment)).status
    expect(await status('2026-03-03T11:59:59.999Z')).toBe(410)
    expect(await status('2026-03-03T12:00:00Z')).toBe(200)
    expect(await status(null)).toBe(200)
  })

  test('is purged by age: what is older is gone, the rest stays, and the moment moves', async () => {
    const other = await sql.studio()
    await sql.admin.rows('delete from app.removals')
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select s, 'item', gen_random_uuid(), 'deleted', now() - days * interval '1 day'
       from unnest(array[$1, $2]::uuid[]) as s, unnest(array[1, 89, 91, 200]) as days`,
      [studio.id, other.id],
    )
    await since('2020-01-01T00:00:00Z')
    const versions = [await studio.dataVersion(), await other.dataVersion()]
    expect(Number(await sql.writer.value('select access.purge_removals(90)'))).toBe(4)
    expect([(await removals()).length, (await removals(other)).length]).toEqual([2, 2])
    expect(await studio.dataVersion()).toBeGreaterThan(versions[0] ?? 0)
    expect(await other.dataVersion()).toBeGreaterThan(versions[1] ?? 0)
    const day = 86_400_000
    const status = async (ago: number) =>
      (await studio.ask('list_removals', 1, 10, new Date(Date.now() - ago).toISOString())).status
    expect([await status(90 * day + 60_000), await status(90 * day - 60_000)]).toEqual([410, 200])

    const settled = await studio.dataVersion()
    expect(Number(await sql.writer.value('select access.purge_removals(90)'))).toBe(0)
    expect(await studio.dataVersion()).toBe(settled)
    // More days do not bring back what is gone.
    await sql.writer.rows('select access.purge_removals(365)')
    expect(await status(90 * day + 60_000)).toBe(410)
  })

  test('is purged by one process at a time, and by the writer alone', async () => {
    const [one, two] = [await sql.connect('studio_writer'), await sql.connect('studio_writer')]
    await one.rows('begin')
    await one.rows('select access.purge_removals(90)')
    await two.rows(`set statement_timeout = '1s'`)
    expect(Number(await two.value('select access.purge_removals(90)'))).toBe(0)
    await one.rows('rollback')
    for (const session of [sql.api, await sql.connect('studio_recorder')]) {
      await expect(session.rows('select access.purge_removals(90)')).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('a studio sees its own removals and no other’s, and nobody of the service writes them', async () => {
  const other = await sql.studio()
  const id = await studio.add('items')
  await studio.change('items', id, { archived_at: new Date() })
  expect(await reasons(id)).toEqual(['item archived'])
  expect(await removals(other)).toEqual([])
  for (const session of [sql.api, sql.writer] as Session[]) {
    await expect(
      inStudio(session, other, (s) => s.rows('delete from app.removals where id = $1', [id])),
    ).rejects.toMatchObject({ code: expect.stringMatching(/42501|25006/) })
  }
  // The same id in another studio is another record.
  await other.add('items', { id }).catch(() => undefined)
  expect(await reasons(id)).toEqual(['item archived'])
})

test('the answer is the newest first, ties by id, with has_more and the key of its last row', async () => {
  await sql.admin.rows(
    `insert into app.removals (studio_id, resource, id, reason, removed_at)
     select $1, 'item', gen_random_uuid(), 'deleted', timestamptz '2026-05-05T12:00:00Z' + n / 3 * interval '1 ms'
     from generate_series(1, 10) as n`,
    [studio.id],
  )
  const all = await removals()
  expect(all).toEqual(all.toSorted((a, b) => b.removed_at.localeCompare(a.removed_at) || b.id.localeCompare(a.id)))
  const found: string[] = []
  let position: Position | null = null
  for (let page = 1; page <= 4; page++) {
    const answer = await askAfter(position, sql.api, 'list_removals', studio.digest, page, 3, null)
    found.push(...parsed<Removal>(answer).map(({ id }) => id))
    expect([answer.has_more, answer.total]).toEqual([page < 4, '10'])
    position = { page: page + 1, at: answer.last_at ?? '', id: answer.last_id ?? '' }
  }
  expect(found).toEqual(all.map(({ id }) => id))
})
